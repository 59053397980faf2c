#include "bench/dispatch/kernel_under_test.hpp"

#include <dlfcn.h>

#include <warptune/base/file.hpp>
#include <warptune/base/temporary_folder.hpp>

namespace bench {
namespace {

constexpr const char* manifest = R"toml(
[kernel]
name = "twice"
summary = "y = 2 x"
source = "twice.cu"
[problem]
types = { T = ["float"] }
dims = ["n"]
[tunables]
THREADS = [64, 128]
[default]
THREADS = 64
[[buffer]]
name = "x"
type = "T"
elements = "n"
role = "in"
fill = "normal"
[[buffer]]
name = "y"
type = "T"
elements = "n"
role = "out"
[[step]]
entry = "twice<{T}, {THREADS}>"
args = ["x", "y", { value = "n", type = "long long" }]
grid = ["max(1, ceil_div(n, THREADS))"]
block = ["THREADS"]
[check]
output = "y"
reference = "twice_reference<{T}>"
args = ["x", "reference", "scale", { value = "n", type = "long long" }]
grid = ["1"]
block = ["1"]
[[check.input]]
fill = "normal"
tolerance = 0.0
)toml";

constexpr const char* source = R"cuda(
template <typename T, int threads>
__global__ void twice(const T* x, T* y, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(threads) + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
template <typename T>
__global__ void twice_reference(const T* x, double* reference, double* scale, long long n) {
  for (long long i = 0; i < n; ++i) {
    reference[i] = 2.0 * x[i];
    scale[i] = 1;
  }
}
)cuda";

wt::LaunchFunction driver_launch() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, "cuLaunchKernel");
  if (symbol == nullptr)
    throw warptune::Error(warptune::ErrorKind::not_found, "no cuLaunchKernel in libcuda.so.1");
  return reinterpret_cast<wt::LaunchFunction>(symbol);
}

}  // namespace

KernelUnderTest::KernelUnderTest(const std::string& device) {
  if (device == "stub") {
    device_ = std::make_shared<NullDevice>();
    compiler_ = std::make_shared<NullCompiler>();
    raw_ = null_launch_kernel;
  } else {
    device_ = wt::open_cuda_device(std::stoi(device.substr(device.find(':') + 1)));
    compiler_ = wt::open_nvrtc();
    raw_ = driver_launch();
  }
  const warptune::TemporaryFolder folder;
  warptune::publish_file(folder.path() / "twice.cu", source, warptune::Durability::process);
  warptune::publish_file(folder.path() / "twice.toml", manifest, warptune::Durability::process);

  wt::RuntimeOptions options;
  options.compiler = compiler_;
  options.cache_folder = folder.path() / "cache";
  options.warn = [](const std::string&) {};  // nothing is tuned, on purpose
  runtime_ = wt::Runtime::open(folder.path() / "none.db", options, device_);
  kernel_ = runtime_->kernel((folder.path() / "twice.toml").string(), {{"T", "float"}});

  // The same kernel, loaded once more.
  warptune::spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", n}};
  const warptune::spec::Instance instance(warptune::spec::load_template(folder.path() / "twice.toml"),
                                          problem, device_->info().traits);
  wt::CompileRequest request =
      wt::compile_request(instance, instance.spec().default_config, device_->info().architecture());
  request.entries = instance.entries(instance.spec().default_config);
  wt::KernelBuilder builder(compiler_, {options.cache_folder, 1});
  const wt::CompileResult result = builder.build(request).front();
  if (result.kernel == nullptr) throw warptune::Error(warptune::ErrorKind::compile, result.error);
  module_ = device_->load(*result.kernel->image);
  function_ = reinterpret_cast<void*>(module_->function(result.kernel->lowered_name));

  const std::int64_t dims[] = {n};
  kernel_->prepare(wt::legacy_stream, dims);
}

}  // namespace bench
