// cuBLAS's dot product, opened by name so that nothing here needs it to build.
#include <dlfcn.h>
#include <fmt/format.h>

#include <initializer_list>

#include <warptune/base/error.hpp>

#include "tuner/bench/library.hpp"

namespace warptune::tuner {
namespace {

// Values of cudaDataType_t and cublasPointerMode_t that the calls below take.
constexpr int data_type_f32 = 0, data_type_f16 = 2, data_type_bf16 = 14;
constexpr int pointer_mode_device = 1;
constexpr std::int64_t largest_n = INT32_MAX;

void check(int status, const char* call) {
  if (status == 0) return;
  throw Error(ErrorKind::cuda, fmt::format("{} failed with cublasStatus_t {}", call, status),
              "check the free device memory, or leave cuBLAS out by naming others with --library", status);
}

int data_type(const std::string& type) {
  if (type == "float") return data_type_f32;
  return type == "__half" ? data_type_f16 : data_type_bf16;
}

class Cublas final : public Library {
 public:
  Cublas() {
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
      if (library_ == nullptr) library_ = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    }
    if (library_ == nullptr) {
      throw Error(ErrorKind::not_found, "libcublas is not found",
                  "install cuBLAS or set LD_LIBRARY_PATH to its folder");
    }
    create_ = find<Create>("cublasCreate_v2");
    destroy_ = find<Destroy>("cublasDestroy_v2");
    set_pointer_mode_ = find<SetPointerMode>("cublasSetPointerMode_v2");
    set_stream_ = find<SetStream>("cublasSetStream_v2");
    get_version_ = find<GetVersion>("cublasGetVersion_v2");
    dot_ex_ = find<DotEx>("cublasDotEx");
  }
  ~Cublas() override {
    // The library stays loaded: it registers exit handlers of its own.
    if (handle_ != nullptr) destroy_(handle_);
  }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  std::string version() const override { return version_; }

  // Accumulates in float and writes the result on the device, in the operands' type.
  std::optional<Block> prepare(DeviceEvaluator& evaluator) override {
    const spec::Instance& instance = evaluator.instance();
    const spec::TemplateSpec& spec = instance.spec();
    const std::int64_t n = instance.problem().dims.at("n");
    if (spec.name != "dot" || n > largest_n) return std::nullopt;
    create();
    const int type = data_type(instance.problem().types.at("T"));
    const std::size_t a = spec.buffer_index("a"), b = spec.buffer_index("b"), y = spec.buffer_index("y");
    const auto call = [=, this](std::span<const runtime::DevicePointer> buffers,
                                runtime::StreamHandle stream) {
      const auto pointer = [&](std::size_t i) { return reinterpret_cast<void*>(buffers[i]); };
      check(set_stream_(handle_, reinterpret_cast<void*>(stream)), "cublasSetStream");
      check(dot_ex_(handle_, static_cast<int>(n), pointer(a), type, 1, pointer(b), type, 1, pointer(y), type,
                    data_type_f32),
            "cublasDotEx");
    };
    return [&evaluator, call] { return evaluator.time_call_block("cublas", call); };
  }

 private:
  using Create = int (*)(void**);
  using Destroy = int (*)(void*);
  using SetStream = int (*)(void*, void*);
  using SetPointerMode = int (*)(void*, int);
  using GetVersion = int (*)(void*, int*);
  using DotEx = int (*)(void*, int, const void*, int, int, const void*, int, int, void*, int, int);

  template <typename Function>
  Function find(const char* name) {
    void* symbol = ::dlsym(library_, name);
    if (symbol == nullptr) {
      throw Error(ErrorKind::not_found, fmt::format("libcublas has no {}", name), "install cuBLAS 12 or 13");
    }
    return reinterpret_cast<Function>(symbol);
  }

  // A handle belongs to the context that is current when it is made.
  void create() {
    if (handle_ != nullptr) return;
    check(create_(&handle_), "cublasCreate");
    check(set_pointer_mode_(handle_, pointer_mode_device), "cublasSetPointerMode");
    int number = 0;
    check(get_version_(handle_, &number), "cublasGetVersion");
    version_ = fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
  }

  void* library_ = nullptr;
  void* handle_ = nullptr;
  std::string version_;
  Create create_ = nullptr;
  Destroy destroy_ = nullptr;
  SetStream set_stream_ = nullptr;
  SetPointerMode set_pointer_mode_ = nullptr;
  GetVersion get_version_ = nullptr;
  DotEx dot_ex_ = nullptr;
};

}  // namespace

std::unique_ptr<Library> open_cublas(const LibraryOptions&) { return std::make_unique<Cublas>(); }

}  // namespace warptune::tuner
