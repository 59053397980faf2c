// A kernel of one's own, given by its manifest's path: row sums of a generated matrix, checked on the host.
//
//   own_kernel [MANIFEST [ROWS COLS [DATABASE]]]        defaults: row_sum.toml 1000 1024 tuning.db
//
// Exit codes: 0 right, 1 wrong result or failure, 2 wrong usage, 77 no usable GPU.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <warptune/runtime/runtime.hpp>

namespace {

namespace wt = warptune::runtime;

int run(const std::string& manifest, std::int64_t rows, std::int64_t cols, const std::string& database) {
  std::vector<float> x(static_cast<std::size_t>(rows * cols));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 17) - 8.0F;  // sums are exact in float

  const std::shared_ptr<wt::Device> device = wt::open_cuda_device(0);
  wt::Runtime runtime = wt::Runtime::open(database, {}, device);
  const wt::Kernel kernel = runtime.kernel(manifest, {{"T", "float"}});
  const wt::DeviceBuffer device_x(*device, x.size() * sizeof(float) + 1);
  const wt::DeviceBuffer device_y(*device, static_cast<std::size_t>(rows) * sizeof(float) + 1);
  device->copy_to_device(device_x.get(), x.data(), x.size() * sizeof(float));

  const std::int64_t dims[] = {rows, cols};
  void* const pointers[] = {reinterpret_cast<void*>(device_x.get()), reinterpret_cast<void*>(device_y.get())};
  const wt::Match match = kernel.launch(wt::legacy_stream, dims, pointers);
  device->synchronize(wt::legacy_stream);
  std::vector<float> y(static_cast<std::size_t>(rows));
  device->copy_to_host(y.data(), device_y.get(), y.size() * sizeof(float));

  std::int64_t wrong = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    float expected = 0;
    for (std::int64_t c = 0; c < cols; ++c) expected += x[static_cast<std::size_t>(r * cols + c)];
    if (y[static_cast<std::size_t>(r)] != expected) ++wrong;
  }
  std::printf("%lld rows of %lld, %s: %s; %lld wrong\n", static_cast<long long>(rows),
              static_cast<long long>(cols), wt::to_string(match), kernel.select(dims).config.c_str(),
              static_cast<long long>(wrong));
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string manifest = argc > 1 ? argv[1] : "row_sum.toml";
  const std::int64_t rows = argc > 2 ? std::atoll(argv[2]) : 1000;
  const std::int64_t cols = argc > 3 ? std::atoll(argv[3]) : 1024;
  const std::string database = argc > 4 ? argv[4] : "tuning.db";
  // With at most 2^21 elements of at most 8 in magnitude, float holds every partial sum exactly.
  if (argc == 3 || argc > 5 || rows < 1 || cols < 1 || rows > (1 << 21) / cols) {
    std::fprintf(stderr, "usage: own_kernel [MANIFEST [ROWS COLS [DATABASE]]], ROWS * COLS from 1 to 2^21\n");
    return 2;
  }
  try {
    return run(manifest, rows, cols, database);
  } catch (const warptune::Error& error) {
    std::fprintf(stderr, "own_kernel: %s\n", error.full_text().c_str());
    return error.kind() == warptune::ErrorKind::no_device ? 77 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "own_kernel: %s\n", error.what());
    return 1;
  }
}
