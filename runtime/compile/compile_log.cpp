#include "runtime/compile/compile_log.hpp"

#include <optional>

#include <warptune/base/text.hpp>

namespace warptune::runtime {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

bool is_indented(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }

// "x.cu(1): error: ...", "ptxas error   : ...", "ptxas fatal   : ...", "nvrtc: error: ...". Echoed source is indented.
bool says_error(std::string_view line) {
  if (is_indented(line)) return false;
  for (const std::string_view word : {"error", "fatal"}) {
    for (auto at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
      if (trim(line.substr(at + word.size())).starts_with(':')) return true;
    }
  }
  return false;
}

// The line number after "at line " in "... at line 3 of dot.cu".
std::optional<std::string> line_in_program(std::string_view line, std::string_view program) {
  constexpr std::string_view marker = "at line ";
  const std::size_t at = line.find(marker);
  const std::string ending = " of " + std::string(program);
  if (at == std::string_view::npos || !trim(line).ends_with(ending)) return std::nullopt;
  const std::string_view number = line.substr(at + marker.size());
  return std::string(number.substr(0, number.find(' ')));
}

}  // namespace

std::string first_error(std::string_view log, std::string_view program) {
  constexpr std::string_view name_expression = "__nv_name_map(";  // where NVRTC reports a bad name expression
  std::string_view first_line;
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    if (first_line.empty()) first_line = trim(line);
    if (!says_error(line)) continue;
    std::string error(trim(line));
    if (error.starts_with(name_expression)) return "name expression" + error.substr(error.find("): ") + 1);
    if (error.starts_with(program)) return error;
    while (!log.empty()) {
      const std::string_view detail = take_line(log);
      if (!is_indented(detail)) break;
      if (const auto number = line_in_program(detail, program)) {
        return error + " (from " + std::string(program) + "(" + *number + "))";
      }
    }
    return error;
  }
  return first_line.empty() ? "no log" : std::string(first_line);
}

}  // namespace warptune::runtime
