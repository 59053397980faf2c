#include "tuner/cli/command.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>

#include "tuner/report/formats.hpp"

namespace warptune::tuner {
namespace {

template <typename Number>
Number parse_number(const std::string& option, const std::string& text, const char* what) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0))
    throw Error(ErrorKind::usage, "--" + option + " takes " + what + ", not '" + text + "'");
  return number;
}

}  // namespace

std::optional<std::string> Arguments::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

std::vector<std::string> Arguments::values(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::optional<std::int64_t> Arguments::count(const std::string& name) const {
  const std::optional<std::string> text = value(name);
  if (!text) return std::nullopt;
  return parse_number<std::int64_t>(name, *text, "a whole number from 0 on");
}

std::optional<double> Arguments::seconds(const std::string& name) const {
  const std::optional<std::string> text = value(name);
  if (!text) return std::nullopt;
  const double seconds = parse_number<double>(name, *text, "a number of seconds from 0 on");
  if (!std::isfinite(seconds))
    throw Error(ErrorKind::usage, "--" + name + " takes a number of seconds from 0 on, not '" + *text + "'");
  return seconds;
}

std::string Arguments::choice(const std::string& name, const std::vector<std::string>& allowed,
                              const std::string& otherwise) const {
  const std::string text = value(name).value_or(otherwise);
  if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text;
  throw Error(ErrorKind::usage, "unknown --" + name + " '" + text + "'", name_hint(text, allowed));
}

void Context::print(const Document& document) const {
  if (json) {
    write_json(document, out, {});
  } else {
    write_table(document, out, {color});
  }
}

}  // namespace warptune::tuner
