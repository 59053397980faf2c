#include "runtime/compile/compile_log.hpp"

#include <warptune/base/text.hpp>

namespace warptune::runtime {

std::string first_error(std::string_view log) {
  std::string_view first_line;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string_view line = trim(log.substr(0, end));
    log = end == std::string_view::npos ? std::string_view{} : log.substr(end + 1);
    if (line.empty()) continue;
    if (line.find("error") != std::string_view::npos) return std::string(line);
    if (first_line.empty()) first_line = line;
  }
  return first_line.empty() ? "no log" : std::string(first_line);
}

}  // namespace warptune::runtime
