#include "tuner/report/config_text.hpp"

#include <variant>

#include <warptune/spec/element_type.hpp>

namespace warptune::tuner {
namespace {

void append(std::string& text, const std::string& name, const std::string& value) {
  if (!text.empty()) text += ' ';
  text += name + '=' + value;
}

}  // namespace

std::string config_text(const db::NamedValues& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    append(text, name, integer != nullptr ? std::to_string(*integer) : std::get<std::string>(value));
  }
  return text;
}

std::string config_text(const std::map<std::string, std::int64_t>& values) {
  std::string text;
  for (const auto& [name, value] : values) append(text, name, std::to_string(value));
  return text;
}

std::string types_text(const std::map<std::string, std::string>& types) {
  std::string text;
  for (const auto& [name, type] : types) {
    const auto element = spec::find_element_type(type);
    append(text, name, element ? std::string(element->alias) : type);
  }
  return text;
}

}  // namespace warptune::tuner
