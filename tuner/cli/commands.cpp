// The explicit list of commands, in the order of the help.
#include "tuner/cli/command.hpp"

namespace warptune::tuner {

const std::vector<Command>& commands() {
  static const std::vector<Command> list = {
      tune_command(),   show_command(),    explain_command(), list_command(),
      export_command(), devices_command(), bench_command(),
  };
  return list;
}

}  // namespace warptune::tuner
