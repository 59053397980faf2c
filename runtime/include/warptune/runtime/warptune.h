/* The runtime for C and for languages that call C: open a database or a bundle, get a kernel, launch. The same rules as
 * runtime.hpp; docs/runtime.md explains them. Functions are safe from any thread, also with one handle. */
#ifndef WARPTUNE_RUNTIME_WARPTUNE_H
#define WARPTUNE_RUNTIME_WARPTUNE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque handles. Each is released once, in any order; a kernel keeps what it needs of its runtime. */
typedef struct warptune_runtime warptune_runtime;
typedef struct warptune_kernel warptune_kernel;

/* How a call ended. Values never change; new ones are added at the end. */
typedef enum warptune_status {
  WARPTUNE_OK = 0,
  WARPTUNE_ERROR_USAGE = 1,     /* wrong use of a function */
  WARPTUNE_ERROR_BAD_INPUT = 2, /* a manifest, problem or value cannot be accepted */
  WARPTUNE_ERROR_NOT_FOUND = 3, /* no such kernel or file */
  WARPTUNE_ERROR_IO = 4,        /* native code: errno */
  WARPTUNE_ERROR_DATABASE = 5,  /* native code: SQLite's extended result code */
  WARPTUNE_ERROR_CUDA = 6,      /* native code: CUresult */
  WARPTUNE_ERROR_NVRTC = 7,     /* native code: nvrtcResult */
  WARPTUNE_ERROR_COMPILE = 8,   /* a source does not compile */
  WARPTUNE_ERROR_NO_DEVICE = 9, /* no usable GPU, driver, context or NVRTC */
  WARPTUNE_ERROR_OUT_OF_MEMORY = 10,
  WARPTUNE_ERROR_CAPTURE = 11,     /* not allowed while the stream is captured; the capture stays valid */
  WARPTUNE_ERROR_UNSUPPORTED = 12, /* the device, driver or file version cannot do it */
  WARPTUNE_ERROR_INTERNAL = 13
} warptune_status;

/* How a launch was served. */
typedef enum warptune_match { WARPTUNE_TUNED = 0, WARPTUNE_NEAREST = 1, WARPTUNE_DEFAULT = 2 } warptune_match;

/* Of the last call of this thread that did not return WARPTUNE_OK; empty, and 0, where there was none. Texts are one line and
 * last until the thread's next call of a function that returns a status. */
const char* warptune_last_error(void);
const char* warptune_last_hint(void); /* what to do about it; may be empty */
/* 1 and the code of the layer below, as warptune_status says; 0 where there is none. */
int warptune_last_native_code(long* code);

/* "usage", "bad_input", ...; "ok". `status`: a warptune_status. Never null. */
const char* warptune_status_name(int status);

/* What becomes of a launch whose problem was not tuned; docs/runtime.md. (To tune it there and then takes C++.) */
typedef enum warptune_on_miss {
  WARPTUNE_MISS_NEAREST = 0, /* the nearest tuned config, else the default */
  WARPTUNE_MISS_DEFAULT = 1, /* the default */
  WARPTUNE_MISS_RECORD = 2   /* as nearest, and the problem is written to misses_file */
} warptune_on_miss;

/* Zeros stand for the usual. */
typedef struct warptune_options {
  const char* cache_folder;  /* of compiled kernels */
  double nearest_bound_log2; /* farthest tuned value that may serve, in octaves per free dim; 0: 2 */
  /* Hears warnings and notices, one line each, from whichever thread met them; null: stderr. */
  void (*warn)(const char* line, void* user);
  void* user;
  int on_miss;             /* a warptune_on_miss */
  const char* misses_file; /* null: the database's path with ".misses" appended */
} warptune_options;

/* Opens a database or a bundle. Kernels are got for the CUDA context that is current then, of any device; one must be current here.
 * A file that is missing or damaged is one warning, and kernels run their defaults. `options` may be null. */
warptune_status warptune_open(const char* path, const warptune_options* options, warptune_runtime** runtime);
/* The same with a bundle that lies in memory: nothing is copied, so the bytes outlive the runtime and its kernels. */
warptune_status warptune_open_memory(const void* bytes, size_t size, const warptune_options* options,
                                     warptune_runtime** runtime);
void warptune_close(warptune_runtime* runtime); /* null: nothing */

/* Lists end in a null; nulls stand for the usual. */
typedef struct warptune_kernel_options {
  const char* const* attributes; /* "NAME=VALUE"; unstated ones are "any" */
  const char* allowed;         /* weaknesses: "exact" (usual), "approx", "nondeterministic", both with a + */
  const char* const* policies; /* which measurements decide, first first: "cold", then "hot" */
} warptune_kernel_options;

/* A kernel by name, for the CUDA context that is current on this thread: of the bundle, built-in, or a manifest's path. `types`: "NAME=TYPE", a list that ends in a null:
 * {"T=half", NULL}. `options` may be null. */
warptune_status warptune_get_kernel(warptune_runtime* runtime, const char* name, const char* const* types,
                                    const warptune_kernel_options* options, warptune_kernel** kernel);
void warptune_release_kernel(warptune_kernel* kernel); /* null: nothing */

/* Puts one call on `stream` (a CUstream or cudaStream_t; null: the legacy default stream). `dims`: in elements, in the
 * manifest's order. `pointers`: device addresses of the in, out and inout buffers in the manifest's order. `match` may be
 * null. Asynchronous. */
warptune_status warptune_launch(const warptune_kernel* kernel, void* stream, const int64_t* dims,
                                size_t dim_count, void* const* pointers, size_t pointer_count,
                                warptune_match* match);
/* All that a launch does before launching, for this thread and stream and for pointers aligned to `alignment_bytes` (0: 16):
 * afterwards the launch may be captured. */
warptune_status warptune_prepare(const warptune_kernel* kernel, void* stream, const int64_t* dims,
                                 size_t dim_count, int64_t alignment_bytes);

/* Device memory for a launch's workspaces that belongs to its holder instead of a stream: what is captured with it may be
 * replayed beside anything else, one replay at a time. Keep it as long as the graph. */
typedef struct warptune_workspace warptune_workspace;
warptune_status warptune_reserve(const warptune_kernel* kernel, const int64_t* dims, size_t dim_count,
                                 int64_t alignment_bytes, warptune_workspace** workspace);
void warptune_release_workspace(warptune_workspace* workspace); /* null: nothing */
/* As warptune_launch(), with what warptune_reserve() gave for these dims or for ones that need no less. */
warptune_status warptune_launch_with(const warptune_kernel* kernel, void* stream, const int64_t* dims,
                                     size_t dim_count, void* const* pointers, size_t pointer_count,
                                     const warptune_workspace* workspace, warptune_match* match);

/* What a launch would run, and why. The texts last until this thread's next warptune_select(). */
typedef struct warptune_selection {
  warptune_match match;
  const char* config;    /* "NUM_THREADS=256 PACK=8" */
  const char* reason;    /* one sentence */
  double log2_distance;  /* to the tuned problem, in octaves */
  double expected_ns;    /* negative: not known */
  int alignment_bytes;   /* that the config needs */
  int other_toolchain;   /* 1: tuned with another driver or NVRTC */
  const char* staleness; /* in what they differ; empty: in nothing */
  double
      expected_loss; /* against the fastest config timed near these dims, as a share; negative: not known */
} warptune_selection;
warptune_status warptune_select(const warptune_kernel* kernel, const int64_t* dims, size_t dim_count,
                                int64_t alignment_bytes, warptune_selection* selection);

/* y[0] = sum of a[i] * b[i] in float; `element`: a warptune_element, of which a and b hold n. */
typedef enum warptune_element { WARPTUNE_F32 = 0, WARPTUNE_F16 = 1, WARPTUNE_BF16 = 2 } warptune_element;
warptune_status warptune_dot(warptune_runtime* runtime, int element, const void* a, const void* b, float* y,
                             int64_t n, void* stream, warptune_match* match);

/* Output row i = table row ids[i]. Zeros stand for the usual, but for what says otherwise. */
typedef struct warptune_embedding_call {
  const void* ids;      /* n signed integers of id_bytes each */
  size_t id_bytes;      /* 4 or 8, to be stated */
  const void* table;    /* v rows */
  void* output;         /* n rows */
  size_t element_bytes; /* 1, 2, 4 or 8, to be stated: rows are copied as they are */
  int64_t v, n, h;      /* rows of the table, ids, elements of a row; to be stated */
  int64_t table_pitch;  /* elements from one row's start to the next; 0: h */
  int64_t output_pitch; /* the same */
  int policy;         /* ids outside [0, v): 0 any, 1 clamp, 2 a row of zeros, 3 zeros and first_bad tells */
  int distribution;   /* 0 any, 1 uniform, 2 zipf, 3 sorted, 4 equal: which records are used */
  int64_t* first_bad; /* policy 3: on the device; the smallest i whose id is outside, or -1 */
} warptune_embedding_call;
warptune_status warptune_embedding(warptune_runtime* runtime, const warptune_embedding_call* call,
                                   void* stream, warptune_match* match);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
