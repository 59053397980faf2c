// A libcuda for tests: what it answers is set by the environment variable WARPTUNE_FAKE_DRIVER.
//   stub      every call, even cuGetProcAddress, returns 34, as the toolkit's stub library does
//   old       a driver of CUDA 11.8          partial   one of 12.x that lacks cuLibraryLoadData
//   no_gpu    cuInit finds no device         two       two devices; everything succeeds
//   lost      every call returns 700, as after an illegal access
// Contexts are made, and destroyed, by fake_create_context() and fake_destroy_context(); a handle may be made anew. How often memory
// was freed, fake_frees() says.
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

using Result = int;

std::string mode() {
  const char* value = std::getenv("WARPTUNE_FAKE_DRIVER");
  return value == nullptr ? "two" : value;
}
Result outcome() { return mode() == "lost" ? 700 : 0; }

Result succeed() { return outcome(); }
Result init(unsigned int) { return mode() == "no_gpu" ? 100 : outcome(); }
Result error_name(Result code, const char** name) {
  *name = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
  return *name == nullptr ? 1 : 0;
}
Result driver_version(int* version) {
  *version = mode() == "old" ? 11080 : 13000;
  return 0;
}
Result device_count(int* count) {
  *count = mode() == "no_gpu" ? 0 : 2;
  return outcome();
}
Result device_get(int* device, int ordinal) {
  *device = ordinal;
  return outcome();
}
Result device_name(char* name, int, int) {
  std::strcpy(name, "  Fake   GPU ");
  return outcome();
}
Result attribute(int* value, int, int) {
  *value = 7;
  return outcome();
}
Result total_memory(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 30;
  return outcome();
}
Result mem_alloc(unsigned long long* pointer, std::size_t bytes) {
  if (bytes > (std::size_t{1} << 30)) return 2;
  *pointer = 4096;
  return outcome();
}
std::map<void*, unsigned long long> contexts;  // handle -> id; 0: destroyed
unsigned long long contexts_made = 0;
thread_local void* current = nullptr;
int frees = 0;
Result get_current(void** context) {
  *context = current;
  return outcome();
}
Result set_current(void* context) {
  const auto known = contexts.find(context);
  if (known != contexts.end() && known->second == 0) return 709;
  current = context;
  return outcome();
}
Result context_id(void* context, unsigned long long* id) {
  const auto known = contexts.find(context == nullptr ? current : context);
  if (known == contexts.end()) return 201;
  *id = known->second;
  return known->second == 0 ? 709 : outcome();
}
Result mem_free(unsigned long long) {
  ++frees;
  return outcome();
}
Result new_handle(void** handle) {  // first argument of many creating functions
  *handle = handle;
  return outcome();
}

}  // namespace

extern "C" void fake_create_context(void* handle) { contexts[handle] = ++contexts_made; }
extern "C" void fake_destroy_context(void* handle) { contexts[handle] = 0; }
extern "C" int fake_frees() { return frees; }

extern "C" Result cuGetProcAddress_v2(const char* name, void** function, int, unsigned long long, void*) {
  *function = nullptr;
  if (mode() == "stub") return 34;
  const std::string symbol = name;
  if (mode() == "partial" && symbol == "cuLibraryLoadData") return 500;
  const struct {
    const char* name;
    void* function;
  } known[] = {
      {"cuInit", reinterpret_cast<void*>(init)},
      {"cuGetErrorName", reinterpret_cast<void*>(error_name)},
      {"cuDriverGetVersion", reinterpret_cast<void*>(driver_version)},
      {"cuDeviceGetCount", reinterpret_cast<void*>(device_count)},
      {"cuDeviceGet", reinterpret_cast<void*>(device_get)},
      {"cuDeviceGetName", reinterpret_cast<void*>(device_name)},
      {"cuDeviceGetAttribute", reinterpret_cast<void*>(attribute)},
      {"cuDeviceTotalMem", reinterpret_cast<void*>(total_memory)},
      {"cuMemAlloc", reinterpret_cast<void*>(mem_alloc)},
      {"cuMemFree", reinterpret_cast<void*>(mem_free)},
      {"cuCtxGetCurrent", reinterpret_cast<void*>(get_current)},
      {"cuCtxSetCurrent", reinterpret_cast<void*>(set_current)},
      {"cuCtxGetId", reinterpret_cast<void*>(context_id)},
      {"cuStreamCreate", reinterpret_cast<void*>(new_handle)},
      {"cuEventCreate", reinterpret_cast<void*>(new_handle)},
      {"cuLibraryLoadData", reinterpret_cast<void*>(new_handle)},
      {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(new_handle)},
  };
  for (const auto& entry : known) {
    if (symbol == entry.name) *function = entry.function;
  }
  if (symbol == "cuCtxGetDevResource") return 500;  // as drivers before 12.4
  if (*function == nullptr) *function = reinterpret_cast<void*>(succeed);
  return 0;
}
