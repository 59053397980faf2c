// `--operand NAME=FILE`: the user's own values from files. One thread at a time.
#pragma once

#include <map>
#include <string>

#include <warptune/tuner/host_operands.hpp>

#include "tuner/cli/command.hpp"

namespace warptune::tuner {

class OperandFiles {
 public:
  // Reads what `arguments` name. Errors: usage (not NAME=FILE, or a name twice), not_found, io.
  explicit OperandFiles(const Arguments& arguments);
  // Views of what was read; this object must outlive them.
  HostOperands operands() const;

 private:
  std::map<std::string, std::string> contents_;  // by the name of the buffer
};

}  // namespace warptune::tuner
