#include "tuner/cli/problem_options.hpp"

#include <algorithm>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/spec/element_type.hpp>
#include <warptune/spec/problem_text.hpp>

#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

struct Assignment {
  std::string name, value;
};

Assignment assignment(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error(ErrorKind::usage, "--" + option + " takes NAME=VALUE, not '" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void require_known(const char* what, const std::string& name, const std::vector<std::string>& known,
                   const std::string& kernel) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw Error(ErrorKind::bad_input, "kernel '" + kernel + "' has no " + what + " '" + name + "'",
              name_hint(name, known));
}

template <typename Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

std::string cuda_type(const std::string& parameter, const std::string& text, const spec::TemplateSpec* spec) {
  const auto type = spec::find_element_type(text);
  const std::string name = type ? std::string(type->name) : text;
  std::vector<std::string> allowed;
  if (spec == nullptr) {
    for (const spec::ElementType& each : spec::element_types()) allowed.emplace_back(each.name);
  } else {
    for (const spec::TypeParameter& each : spec->type_parameters)
      if (each.name == parameter) allowed = each.allowed;
  }
  if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) return name;
  std::vector<std::string> words;  // what people type
  for (const std::string& each : allowed) {
    const auto known = spec::find_element_type(each);
    words.push_back(known ? std::string(known->alias) : each);
  }
  throw Error(ErrorKind::bad_input, "unknown type '" + text + "' for " + parameter, name_hint(text, words));
}

spec::Numerics allowed_numerics(const Arguments& arguments) {
  static const std::vector<std::string> known = {"approx", "nondeterministic"};
  spec::Numerics allowed;
  for (const std::string& value : arguments.values("allow"))
    for (const std::string_view part : split(value, ',')) {
      const std::string word(part);
      if (std::find(known.begin(), known.end(), word) == known.end())
        throw Error(ErrorKind::usage, "unknown class '" + word + "' in --allow", name_hint(word, known));
      allowed = allowed | spec::Numerics{word == "approx", word == "nondeterministic"};
    }
  return allowed;
}

}  // namespace

std::vector<OptionSpec> problem_options(const std::vector<OptionSpec>& more) {
  using Kind = OptionSpec::Kind;
  std::vector<OptionSpec> options = {
      {"types", Kind::assignments, "NAME=TYPE", "element types, such as T=half; lists T=half,float"},
      {"dims", Kind::assignments, "NAME=VALUE",
       "sizes in elements: n=2^24, lists n=1,5, ranges n=2^10..2^28:x4"},
      {"attributes", Kind::assignments, "NAME=WORD", "what else the caller states"},
      {"allow", Kind::values, "CLASSES", "accept approx, nondeterministic, or both"},
  };
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

ProblemFilter stated_filter(const std::string& kernel, const spec::TemplateSpec* spec,
                            const Arguments& arguments) {
  ProblemFilter filter;
  filter.kernel = kernel;
  for (const std::string& text : arguments.values("types")) {
    const Assignment given = assignment("types", text);
    if (spec != nullptr) require_known("type", given.name, names_of(spec->type_parameters), spec->name);
    for (const std::string_view word : split(given.value, ','))
      filter.types[given.name].push_back(cuda_type(given.name, std::string(word), spec));
  }
  for (const std::string& text : arguments.values("dims")) {
    const Assignment given = assignment("dims", text);
    if (spec != nullptr) require_known("dim", given.name, names_of(spec->dims), spec->name);
    std::vector<std::int64_t>& values = filter.dims[given.name];
    for (const std::int64_t value : spec::parse_sizes(given.value))
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  for (const std::string& text : arguments.values("attributes")) {
    const Assignment given = assignment("attributes", text);
    if (spec != nullptr) require_known("attribute", given.name, names_of(spec->attributes), spec->name);
    filter.attributes[given.name] = given.value;
  }
  if (arguments.has("allow")) filter.numerics = allowed_numerics(arguments).key();
  filter.policy = arguments.value("policy");
  return filter;
}

std::vector<spec::Problem> stated_problems(const spec::TemplateSpec& spec, const Arguments& arguments,
                                           bool allow_zero) {
  spec::ProblemText text;
  text.types = arguments.values("types");
  text.dims = arguments.values("dims");
  text.attributes = arguments.values("attributes");
  text.allowed = allowed_numerics(arguments);
  text.allow_zero = allow_zero;
  return spec::parse_problems(spec, text);
}

bool ProblemFilter::matches(const db::ProblemKey& key) const {
  if (!kernel.empty() && key.kernel != kernel) return false;
  if (numerics && key.numerics != *numerics) return false;
  if (policy && key.policy != *policy) return false;
  for (const auto& [name, allowed] : types) {
    const auto found = key.types.find(name);
    if (found == key.types.end() || std::find(allowed.begin(), allowed.end(), found->second) == allowed.end())
      return false;
  }
  const std::map<std::string, std::int64_t> key_dims = all_dims(key);
  for (const auto& [name, allowed] : dims) {
    const auto found = key_dims.find(name);
    if (found == key_dims.end() || std::find(allowed.begin(), allowed.end(), found->second) == allowed.end())
      return false;
  }
  return std::all_of(attributes.begin(), attributes.end(), [&](const auto& wanted) {
    const auto found = key.attributes.find(wanted.first);
    return found != key.attributes.end() && found->second == wanted.second;
  });
}

std::string problem_arguments(const db::ProblemKey& key) {
  std::string text;
  const auto add = [&](const std::string& option, const std::string& value) {
    text += (text.empty() ? "--" : " --") + option + " " + shell_word(value);
  };
  for (const auto& [name, type] : key.types) add("types", types_text({{name, type}}));
  for (const auto& [name, value] : all_dims(key)) add("dims", name + "=" + std::to_string(value));
  for (const auto& [name, word] : key.attributes)
    if (word != "any") add("attributes", name + "=" + word);
  if (key.numerics != "exact") {
    std::string classes = key.numerics;
    std::replace(classes.begin(), classes.end(), '+', ',');
    add("allow", classes);
  }
  return text;
}

}  // namespace warptune::tuner
