/* The runtime from C: dot from a bundle, in a context that this program makes with the driver's own functions.
 *
 *   c_caller BUNDLE
 *
 * Exit codes: 0 right, 1 wrong result or failure, 2 wrong usage, 77 no usable GPU. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <warptune/runtime/warptune.h>

/* As cuda.h declares them; an application that has it includes it and links libcuda. */
typedef int (*InitFn)(unsigned);
typedef int (*RetainFn)(void**, int);
typedef int (*SetCurrentFn)(void*);
typedef int (*AllocFn)(uint64_t*, size_t);
typedef int (*ToDeviceFn)(uint64_t, const void*, size_t);
typedef int (*ToHostFn)(void*, uint64_t, size_t);

typedef struct Driver {
  InitFn init;
  RetainFn retain;
  SetCurrentFn set_current;
  AllocFn alloc;
  ToDeviceFn to_device;
  ToHostFn to_host;
} Driver;

/* 0: there is no driver. */
static int load_driver(Driver* driver) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == NULL) return 0;
  *(void**)&driver->init = dlsym(library, "cuInit");
  *(void**)&driver->retain = dlsym(library, "cuDevicePrimaryCtxRetain");
  *(void**)&driver->set_current = dlsym(library, "cuCtxSetCurrent");
  *(void**)&driver->alloc = dlsym(library, "cuMemAlloc_v2");
  *(void**)&driver->to_device = dlsym(library, "cuMemcpyHtoD_v2");
  *(void**)&driver->to_host = dlsym(library, "cuMemcpyDtoH_v2");
  return driver->init && driver->retain && driver->set_current && driver->alloc && driver->to_device &&
         driver->to_host;
}

static int fail(const char* call) {
  fprintf(stderr, "c_caller: %s: %s; %s\n", call, warptune_last_error(), warptune_last_hint());
  return 1;
}

static int run(const Driver* driver, const char* bundle) {
  enum { n = 1 << 20 };
  uint64_t a = 0, b = 0, y = 0;
  float result = 0;
  warptune_match match;
  warptune_runtime* runtime = NULL;
  float* const values = malloc(n * sizeof(float));
  int i;

  if (values == NULL) return 1;
  for (i = 0; i < n; ++i) values[i] = (float)(i % 2); /* the sum of squares, n / 2, is exact */
  if (driver->alloc(&a, n * sizeof(float)) || driver->alloc(&b, n * sizeof(float)) ||
      driver->alloc(&y, sizeof(float)) || driver->to_device(a, values, n * sizeof(float)) ||
      driver->to_device(b, values, n * sizeof(float))) {
    fprintf(stderr, "c_caller: no memory on the GPU\n");
    free(values);
    return 1;
  }
  free(values);

  if (warptune_open(bundle, NULL, &runtime) != WARPTUNE_OK) return fail("warptune_open");
  if (warptune_dot(runtime, WARPTUNE_F32, (void*)(uintptr_t)a, (void*)(uintptr_t)b, (float*)(uintptr_t)y, n,
                   NULL, &match) != WARPTUNE_OK)
    return fail("warptune_dot");
  if (driver->to_host(&result, y, sizeof(result))) return 1; /* waits for the launch */
  warptune_close(runtime);

  printf("%s; result %.9g, right is %d\n",
         match == WARPTUNE_TUNED     ? "tuned"
         : match == WARPTUNE_NEAREST ? "nearest"
                                     : "default",
         (double)result, n / 2);
  return result == (float)(n / 2) ? 0 : 1;
}

int main(int argc, char** argv) {
  Driver driver;
  void* context = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: c_caller BUNDLE\n");
    return 2;
  }
  if (!load_driver(&driver) || driver.init(0) || driver.retain(&context, 0) || driver.set_current(context)) {
    fprintf(stderr, "c_caller: no usable GPU\n");
    return 77;
  }
  return run(&driver, argv[1]);
}
