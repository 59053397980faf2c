#include <warptune/spec/problem_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/spec/element_type.hpp>

namespace warptune::spec {
namespace {

constexpr std::size_t max_values = 100000;
constexpr const char* size_hint = "write whole numbers such as 4096, 2^24 or 3*2^20";

// sum = product (('+'|'-') product)*, product = power ('*' power)*, power = digits ('^' digits)?
class SizeParser {
 public:
  explicit SizeParser(std::string_view text) : text_(text) {}

  std::int64_t run() {
    if (text_.empty()) fail("empty number");
    std::int64_t value = product();
    while (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
      const bool plus = text_[at_++] == '+';
      const std::int64_t term = product();
      const bool overflow =
          plus ? __builtin_add_overflow(value, term, &value) : __builtin_sub_overflow(value, term, &value);
      if (overflow) fail_range();
    }
    if (at_ < text_.size()) fail(fmt::format("unexpected '{}' at position {}", text_[at_], at_ + 1));
    if (value < 0) fail("negative");
    return value;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(ErrorKind::bad_input, fmt::format("'{}' is no size: {}", text_, what), size_hint);
  }
  [[noreturn]] void fail_range() const {
    throw Error(ErrorKind::bad_input, fmt::format("'{}' is no size: beyond 2^63-1", text_),
                "choose a smaller one");
  }

  std::int64_t product() {
    std::int64_t value = power();
    while (at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      if (__builtin_mul_overflow(value, power(), &value)) fail_range();
    }
    return value;
  }

  std::int64_t power() {
    const std::int64_t base = digits();
    if (at_ == text_.size() || text_[at_] != '^') return base;
    ++at_;
    const std::int64_t exponent = digits();
    std::int64_t value = 1;
    // 0 and 1 do not grow, so the loop over their exponents is cut short.
    for (std::int64_t i = 0; i < (base < 2 ? std::min<std::int64_t>(exponent, 1) : exponent); ++i) {
      if (__builtin_mul_overflow(value, base, &value)) fail_range();
    }
    return value;
  }

  std::int64_t digits() {
    const std::size_t start = at_;
    std::int64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      const bool overflow = __builtin_mul_overflow(value, 10, &value) ||
                            __builtin_add_overflow(value, text_[at_] - '0', &value);
      if (overflow) fail_range();
      ++at_;
    }
    if (at_ > start) return value;
    if (start == 0 && text_.starts_with('-')) fail("negative");
    if (start == text_.size()) fail("it ends where a number should follow");
    fail(fmt::format("unexpected '{}' at position {}", text_[start], start + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void append_range(std::string_view text, std::size_t dots, std::vector<std::int64_t>& sizes) {
  auto fail = [&](const std::string& what, const char* hint) {
    throw Error(ErrorKind::bad_input, fmt::format("range '{}' {}", text, what), hint);
  };
  const std::string_view rest = text.substr(dots + 2);
  const std::size_t colon = rest.find(':');
  const std::string_view step_text = colon == std::string_view::npos ? "" : trim(rest.substr(colon + 1));
  if (step_text.size() < 2 || (step_text[0] != 'x' && step_text[0] != '+')) {
    fail("needs a step", "write 2^10..2^28:x4 (times 4) or 0..1000:+250 (plus 250)");
  }
  const std::int64_t first = parse_size(trim(text.substr(0, dots)));
  const std::int64_t last = parse_size(trim(rest.substr(0, colon)));
  const std::int64_t step = parse_size(step_text.substr(1));
  const bool times = step_text[0] == 'x';
  if (first > last) fail("ends below its start", "write the smaller end first");
  if (step < (times ? 2 : 1) || (times && first == 0))
    fail("does not grow", "use :x2 or more from 1 up, or :+1 or more");
  for (std::int64_t value = first; value <= last;) {
    if (sizes.size() == max_values)
      fail(fmt::format("has more than {} values", max_values), "take a larger step");
    sizes.push_back(value);
    if (times ? __builtin_mul_overflow(value, step, &value) : __builtin_add_overflow(value, step, &value))
      break;
  }
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(trim(text.substr(0, end)));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

struct Assignment {
  std::string name;
  std::string_view value;
};

// "n=1,2 m=3": blanks separate. `only`: the name where none is written.
std::vector<Assignment> assignments(const std::vector<std::string>& texts,
                                    const std::vector<std::string>& known, const char* what,
                                    const TemplateSpec& spec) {
  std::vector<Assignment> result;
  for (const std::string& text : texts) {
    std::size_t count = 0;
    for (std::string_view part : split(text, ' ')) {
      if (part.empty()) continue;
      ++count;
      const std::size_t equals = part.find('=');
      if (equals == std::string_view::npos && known.size() == 1) {
        result.push_back({known.front(), part});
        continue;
      }
      const std::string name(trim(part.substr(0, equals)));
      if (equals == std::string_view::npos) {
        throw Error(ErrorKind::bad_input, fmt::format("{} '{}' lacks its name", what, part),
                    fmt::format("write NAME={}; {} has {}", part, spec.name, join(known)));
      }
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw Error(ErrorKind::bad_input, fmt::format("{} has no {} '{}'", spec.name, what, name),
                    name_hint(name, known));
      }
      result.push_back({name, trim(part.substr(equals + 1))});
    }
    if (count == 0) {
      throw Error(ErrorKind::bad_input, fmt::format("empty {}", what),
                  fmt::format("{} has {}", spec.name, join(known)));
    }
  }
  return result;
}

std::string resolve_type(const TypeParameter& parameter, std::string_view text) {
  const auto known = find_element_type(text);
  if (known &&
      std::find(parameter.allowed.begin(), parameter.allowed.end(), known->name) != parameter.allowed.end()) {
    return std::string(known->name);
  }
  std::vector<std::string> aliases;
  for (const std::string& name : parameter.allowed) aliases.emplace_back(find_element_type(name)->alias);
  throw Error(ErrorKind::bad_input, fmt::format("type {} cannot be '{}'", parameter.name, text),
              fmt::format("allowed: {} (or {})", join(parameter.allowed), join(aliases)));
}

// The sizes of one dim; errors say which.
std::vector<std::int64_t> named_sizes(const std::string& name, std::string_view text) {
  try {
    return parse_sizes(text);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("dim {}: {}", name, error.what()), error.hint());
  }
}

// One more factor of the product: every problem so far with every value.
template <typename Value, typename Set>
void multiply(std::vector<Problem>& problems, const std::vector<Value>& values, const Set& set) {
  if (problems.size() * values.size() > max_values) {
    throw Error(ErrorKind::bad_input, fmt::format("more than {} problems", max_values), "give fewer values");
  }
  std::vector<Problem> result;
  for (const Problem& problem : problems) {
    for (const Value& value : values) set(result.emplace_back(problem), value);
  }
  problems = std::move(result);
}

template <typename Value>
void append_new(std::vector<Value>& list, Value value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(std::move(value));
}

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& list) {
  std::vector<std::string> names;
  for (const Named& item : list) names.push_back(item.name);
  return names;
}

}  // namespace

std::int64_t parse_size(std::string_view text) { return SizeParser(trim(text)).run(); }

std::vector<std::int64_t> parse_sizes(std::string_view text) {
  std::vector<std::int64_t> sizes;
  for (std::string_view part : split(text, ',')) {
    const std::size_t dots = part.find("..");
    if (dots == std::string_view::npos) {
      sizes.push_back(parse_size(part));
    } else {
      append_range(part, dots, sizes);
    }
  }
  return sizes;
}

std::vector<Problem> parse_problems(const TemplateSpec& spec, const ProblemText& text) {
  std::vector<Problem> problems(1);
  problems.front().allowed = text.allowed;
  for (const AttributeSpec& attribute : spec.attributes) problems.front().attributes[attribute.name] = "any";

  const auto types = assignments(text.types, names_of(spec.type_parameters), "type", spec);
  for (const TypeParameter& parameter : spec.type_parameters) {
    std::vector<std::string> values;
    for (const Assignment& assignment : types) {
      if (assignment.name != parameter.name) continue;
      for (std::string_view part : split(assignment.value, ','))
        append_new(values, resolve_type(parameter, part));
    }
    if (values.empty() && parameter.allowed.size() == 1) values = parameter.allowed;
    if (values.empty()) {
      throw Error(ErrorKind::bad_input, fmt::format("type {} of {} is not given", parameter.name, spec.name),
                  fmt::format("write --types {}={}; allowed: {}", parameter.name,
                              find_element_type(parameter.allowed.front())->alias, join(parameter.allowed)));
    }
    multiply(problems, values,
             [&](Problem& problem, const std::string& type) { problem.types[parameter.name] = type; });
  }

  const auto words = assignments(text.attributes, names_of(spec.attributes), "attribute", spec);
  for (const AttributeSpec& attribute : spec.attributes) {
    std::vector<std::string> values;
    for (const Assignment& assignment : words) {
      if (assignment.name != attribute.name) continue;
      for (std::string_view part : split(assignment.value, ',')) {
        if (std::find(attribute.allowed.begin(), attribute.allowed.end(), part) == attribute.allowed.end()) {
          throw Error(ErrorKind::bad_input, fmt::format("attribute {} cannot be '{}'", attribute.name, part),
                      "allowed: " + join(attribute.allowed));
        }
        append_new(values, std::string(part));
      }
    }
    if (values.empty()) values.emplace_back("any");
    multiply(problems, values,
             [&](Problem& problem, const std::string& word) { problem.attributes[attribute.name] = word; });
  }

  const auto dims = assignments(text.dims, names_of(spec.dims), "dim", spec);
  for (const DimSpec& dim : spec.dims) {
    std::vector<std::int64_t> values;
    for (const Assignment& assignment : dims) {
      if (assignment.name != dim.name) continue;
      for (std::int64_t size : named_sizes(dim.name, assignment.value)) values.push_back(size);
    }
    if (values.empty() && dim.default_value) continue;  // an Instance gives it
    if (values.empty()) {
      throw Error(ErrorKind::bad_input, fmt::format("dim {} of {} is not given", dim.name, spec.name),
                  fmt::format("write --dims {}=2^20", dim.name));
    }
    std::vector<std::int64_t> distinct;
    std::set<std::int64_t> seen;
    for (std::int64_t size : values) {
      if (size == 0 && !text.allow_zero) {
        throw Error(ErrorKind::bad_input, fmt::format("dim {} = 0 leaves nothing to do", dim.name),
                    "give 1 or more");
      }
      if (seen.insert(size).second) distinct.push_back(size);
    }
    multiply(problems, distinct, [&](Problem& problem, std::int64_t size) { problem.dims[dim.name] = size; });
  }
  return problems;
}

}  // namespace warptune::spec
