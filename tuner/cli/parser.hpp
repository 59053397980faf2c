// Command line to command and arguments. The one place that knows the parsing library.
#pragma once

#include <string>
#include <vector>

#include "tuner/cli/command.hpp"

namespace warptune::tuner {

struct Parsed {
  const Command* command = nullptr;  // null: `text` answers the line (help, version)
  Arguments arguments;               // options, and positionals under their names
  std::string text;
  bool json = false;
  std::optional<std::string> database;
  std::optional<std::string> device;
};

// `words`: without the program's name. Global options may stand before and after the command.
// Error usage: one line that says what is wrong, and the nearest name for an unknown one.
Parsed parse_command_line(const std::vector<std::string>& words);

}  // namespace warptune::tuner
