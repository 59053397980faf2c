// The explicit list of commands, in the order of the help.
#include "tuner/cli/command.hpp"

namespace warptune::tuner {

const std::vector<Command>& commands() {
  static const std::vector<Command> list = {
      tune_command(),  show_command(),   explain_command(), failures_command(), check_command(),
      diff_command(),  list_command(),   report_command(),  export_command(),   import_command(),
      merge_command(), bundle_command(), prune_command(),   devices_command(),  bench_command(),
  };
  return list;
}

}  // namespace warptune::tuner
