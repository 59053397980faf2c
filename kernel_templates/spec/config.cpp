// Configs by name, as text and as hash keys.
#include <warptune/base/text.hpp>
#include <warptune/spec/template_spec.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace warptune::spec {
namespace {

template <typename Named>
std::size_t index_of(const std::vector<Named>& list, std::string_view name, const char* what,
                     const std::string& kernel) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return i;
    known.push_back(list[i].name);
  }
  throw Error(ErrorKind::not_found, fmt::format("{} has no {} '{}'", kernel, what, name),
              name_hint(name, known));
}

}  // namespace

std::size_t ConfigHash::operator()(const Config& config) const noexcept {
  // Multiply and rotate per value; equal configs have equal values in equal order.
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (const Value& value : config.values) {
    hash ^= static_cast<std::uint64_t>(value.as_integer()) + static_cast<std::uint64_t>(value.kind());
    hash *= 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

std::size_t TemplateSpec::buffer_index(std::string_view wanted) const {
  return index_of(buffers, wanted, "buffer", name);
}

std::size_t TemplateSpec::tunable_index(std::string_view wanted) const {
  return index_of(tunables, wanted, "tunable", name);
}

std::string to_text(const TemplateSpec& spec, const Config& config) {
  std::string text;
  for (std::size_t i = 0; i < config.values.size(); ++i) {
    if (i > 0) text += ' ';
    text += spec.tunables[i].name + "=" + config.values[i].text();
  }
  return text;
}

std::map<std::string, Value> to_named(const TemplateSpec& spec, const Config& config) {
  std::map<std::string, Value> named;
  for (std::size_t i = 0; i < config.values.size(); ++i)
    named.emplace(spec.tunables[i].name, config.values[i]);
  return named;
}

Config from_named(const TemplateSpec& spec, const std::map<std::string, Value>& named) {
  for (const auto& [name, value] : named) {
    const bool known = std::any_of(spec.tunables.begin(), spec.tunables.end(),
                                   [&](const Tunable& tunable) { return tunable.name == name; });
    if (known) continue;
    std::vector<std::string> names;
    for (const Tunable& tunable : spec.tunables) names.push_back(tunable.name);
    throw Error(ErrorKind::bad_input, fmt::format("{} has no tunable '{}'", spec.name, name),
                name_hint(name, names));
  }
  Config config;
  for (const Tunable& tunable : spec.tunables) {
    const auto found = named.find(tunable.name);
    if (found == named.end()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("config of {} lacks the tunable {}", spec.name, tunable.name),
                  "give one value per tunable");
    }
    const bool listed = std::any_of(tunable.values.begin(), tunable.values.end(),
                                    [&](const TunableValue& value) { return value.value == found->second; });
    if (!listed) {
      std::vector<std::string> allowed;
      for (const TunableValue& value : tunable.values) allowed.push_back(value.value.text());
      throw Error(
          ErrorKind::bad_input,
          fmt::format("{} = {} is not among the values of {}", tunable.name, found->second.text(), spec.name),
          "allowed: " + join(allowed));
    }
    config.values.push_back(found->second);
  }
  return config;
}

}  // namespace warptune::spec
