// `warptune bench`: how good our configs are, and our search.
#include "tuner/cli/bench_command.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune bench dot --types T=half --dims n=2^24\n"
    "  warptune bench dot --types T=float,half,bf16 --dims n=2^12..2^28:x4 --markdown dot.md\n"
    "  warptune bench embedding --types T=float,half I=int64 --dims v=1024 n=2048,4096 h=512,1024 --trials "
    "60\n"
    "  warptune bench dot --types T=half --dims n=2^18 --policy hot --library cublas\n"
    "  warptune bench dot --types T=half --dims n=2^24 --python venv/bin/python --json\n"
    "  warptune bench search --spaces recorded/\n"
    "  warptune bench search --spaces recorded/ --strategies auto,random --budgets 25,50 --seeds 30\n"
    "  warptune bench search --spaces recorded/ --strategies auto --without failures --json\n";

int run(const Arguments& arguments, const Context& context) {
  return arguments.value("WHAT") == "search" ? bench_search(arguments, context)
                                             : bench_kernel(arguments, context);
}

}  // namespace

Command bench_command() {
  std::vector<OptionSpec> options = kernel_bench_options();
  for (const OptionSpec& option : search_bench_options()) options.push_back(option);
  return {"bench",
          "a kernel's configs beside libraries, or search strategies on recorded spaces",
          examples,
          {{"WHAT", "a kernel: its name or manifest (.toml); or `search`"}},
          std::move(options),
          run};
}

}  // namespace warptune::tuner
