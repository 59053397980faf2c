#include "tuner/cli/operand_files.hpp"

#include <limits>

#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>

namespace warptune::tuner {

OperandFiles::OperandFiles(const Arguments& arguments) {
  for (const std::string& text : arguments.values("operand")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw Error(ErrorKind::usage, "--operand takes NAME=FILE, not '" + text + "'");
    const std::string name = text.substr(0, equals);
    if (contents_.contains(name))
      throw Error(ErrorKind::usage, "--operand names '" + name + "' twice", "leave one of them out");
    contents_.emplace(name, read_file(text.substr(equals + 1), std::numeric_limits<std::size_t>::max()));
  }
}

HostOperands OperandFiles::operands() const {
  HostOperands operands;
  for (const auto& [name, bytes] : contents_) operands.emplace(name, std::as_bytes(std::span(bytes)));
  return operands;
}

}  // namespace warptune::tuner
