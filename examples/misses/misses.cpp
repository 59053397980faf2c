// From misses to tuning: what this program asks for and does not find tuned is written down, `warptune tune --misses` tunes it,
// and the next run finds it. misses_to_tuning.sh goes the whole way.
//
//   misses DATABASE N...        the list is DATABASE.misses
//
// Prints a line per N: how the call was served. Exit codes: 0 right, 1 wrong result or failure, 2 wrong usage, 77 no usable GPU.
#include <cstdlib>
#include <memory>
#include <string>

#include "common/small_vectors.hpp"

namespace {

namespace wt = warptune::runtime;

int run(const std::string& database, int count, char** lengths) {
  const std::shared_ptr<wt::Device> device = wt::open_cuda_device(0);
  wt::RuntimeOptions options;
  options.on_miss = wt::OnMiss::record;
  wt::Runtime runtime = wt::Runtime::open(database, options, device);
  const wt::Kernel kernel = runtime.kernel("dot", {{"T", "float"}});
  bool right = true;
  for (int i = 0; i < count; ++i) {
    const std::int64_t n = std::atoll(lengths[i]);
    if (n < 1 || n > (1 << 20)) {
      std::fprintf(stderr, "misses: N is from 1 to 2^20, not '%s'\n", lengths[i]);
      return 2;
    }
    example::SmallVectors vectors(*device, n);
    const std::int64_t dims[] = {n};
    const wt::Match match = kernel.launch(wt::legacy_stream, dims, vectors.pointers());
    const std::string what = "n=" + std::to_string(n) + " " + wt::to_string(match);
    right = vectors.check(what.c_str(), wt::legacy_stream) && right;
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: misses DATABASE N...\n");
    return 2;
  }
  return example::guarded("misses", [&] { return run(argv[1], argc - 2, argv + 2); });
}
