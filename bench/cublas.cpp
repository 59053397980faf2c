#include "bench/cublas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <initializer_list>

#include <warptune/base/error.hpp>

namespace warptune::bench {
namespace {

// Values of cudaDataType_t and cublasPointerMode_t that the calls below take.
constexpr int data_type_f32 = 0, data_type_f16 = 2, data_type_bf16 = 14;
constexpr int pointer_mode_device = 1;

void check(int status, const char* call) {
  if (status == 0) return;
  throw Error(ErrorKind::cuda, fmt::format("{} failed with cublasStatus_t {}", call, status),
              "check the operands and the free device memory", status);
}

int data_type(const std::string& type) {
  if (type == "float") return data_type_f32;
  return type == "__half" ? data_type_f16 : data_type_bf16;
}

}  // namespace

struct Cublas::Library {
  using Create = int (*)(void**);
  using Destroy = int (*)(void*);
  using SetStream = int (*)(void*, void*);
  using SetPointerMode = int (*)(void*, int);
  using GetVersion = int (*)(void*, int*);
  using DotEx = int (*)(void*, int, const void*, int, int, const void*, int, int, void*, int, int);

  void* library = nullptr;
  void* handle = nullptr;
  Destroy destroy = nullptr;
  SetStream set_stream = nullptr;
  GetVersion get_version = nullptr;
  DotEx dot_ex = nullptr;

  ~Library() {
    if (handle != nullptr) destroy(handle);
    // The library stays loaded: it registers exit handlers of its own.
  }

  template <typename Function>
  Function find(const char* name) {
    void* symbol = ::dlsym(library, name);
    if (symbol == nullptr) {
      throw Error(ErrorKind::no_device, fmt::format("libcublas has no {}", name), "install cuBLAS 12 or 13");
    }
    return reinterpret_cast<Function>(symbol);
  }
};

Cublas::Cublas() : library_(std::make_unique<Library>()) {
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
    if (library_->library == nullptr) library_->library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  }
  if (library_->library == nullptr) {
    throw Error(ErrorKind::no_device, "libcublas not found",
                "install cuBLAS or set LD_LIBRARY_PATH to its folder");
  }
  library_->destroy = library_->find<Library::Destroy>("cublasDestroy_v2");
  library_->set_stream = library_->find<Library::SetStream>("cublasSetStream_v2");
  library_->get_version = library_->find<Library::GetVersion>("cublasGetVersion_v2");
  library_->dot_ex = library_->find<Library::DotEx>("cublasDotEx");
  check(library_->find<Library::Create>("cublasCreate_v2")(&library_->handle), "cublasCreate");
  check(library_->find<Library::SetPointerMode>("cublasSetPointerMode_v2")(library_->handle,
                                                                           pointer_mode_device),
        "cublasSetPointerMode");
}

Cublas::~Cublas() = default;

void Cublas::dot(const std::string& type, std::int64_t n, runtime::DevicePointer a, runtime::DevicePointer b,
                 runtime::DevicePointer y, runtime::StreamHandle stream) {
  const auto pointer = [](runtime::DevicePointer address) { return reinterpret_cast<void*>(address); };
  check(library_->set_stream(library_->handle, reinterpret_cast<void*>(stream)), "cublasSetStream");
  const int kind = data_type(type);
  check(library_->dot_ex(library_->handle, static_cast<int>(n), pointer(a), kind, 1, pointer(b), kind, 1,
                         pointer(y), kind, data_type_f32),
        "cublasDotEx");
}

std::string Cublas::version() const {
  int number = 0;
  check(library_->get_version(library_->handle, &number), "cublasGetVersion");
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

}  // namespace warptune::bench
