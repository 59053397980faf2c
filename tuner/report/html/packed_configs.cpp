#include "tuner/report/html/packed_configs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int time_digits = 3;
constexpr std::int64_t largest_packed = 64 * 64 * 64 - 1;
// What data.js can hold in a number.
constexpr std::int64_t largest_code = std::int64_t{1} << 53;

void append_number(std::int64_t value, int width, std::string& text) {
  for (int shift = 6 * (width - 1); shift >= 0; shift -= 6)
    text += digits[static_cast<std::size_t>((value >> shift) & 63)];
}

const db::NamedValue absent = std::string("-");

}  // namespace

const std::vector<std::string>& packed_statuses() {
  static const std::vector<std::string> list = {"excluded",     "compile_error", "resource_limit",
                                                "launch_error", "wrong_result",  "crashed",
                                                "timed_out",    "other"};
  return list;
}

std::int64_t packed_first_status() {
  return largest_packed + 1 - static_cast<std::int64_t>(packed_statuses().size());
}

void ConfigPacker::learn(const db::NamedValues& config) {
  for (const auto& [name, value] : config) {
    Values& known = values_[name];
    known.indices.try_emplace(value, 0);
    ++known.configs;
  }
  ++configs_;
}

void ConfigPacker::finish() {
  std::int64_t product = 1;
  for (auto& [name, values] : values_) {
    if (values.configs < configs_) values.indices.try_emplace(absent, 0);
    std::int64_t index = 0;
    for (auto& [value, number] : values.indices) number = index++;
    if (__builtin_mul_overflow(product, index, &product) || product > largest_code)
      throw Error(ErrorKind::unsupported, "a kernel has more configs than a report can name",
                  "leave it out: name the kernels that the report is about");
  }
  code_digits_ = 1;
  while (product > (std::int64_t{1} << (6 * code_digits_))) ++code_digits_;
}

JsonValue ConfigPacker::tunables() const {
  JsonArray list;
  for (const auto& [name, values] : values_) {
    JsonArray texts;
    for (const auto& [value, number] : values.indices)
      std::visit([&](const auto& each) { texts.emplace_back(each); }, value);
    list.push_back(JsonObject{{"name", name}, {"values", std::move(texts)}});
  }
  return list;
}

std::int64_t ConfigPacker::code(const db::NamedValues& config) const {
  std::int64_t code = 0;
  for (const auto& [name, values] : values_) {
    const auto given = config.find(name);
    const auto found = values.indices.find(given == config.end() ? absent : given->second);
    code = code * static_cast<std::int64_t>(values.indices.size()) +
           (found == values.indices.end() ? 0 : found->second);
  }
  return code;
}

void ConfigPacker::pack(const db::OutcomeRecord& outcome, double best_ns, std::string& text) const {
  append_number(code(outcome.config), code_digits_, text);
  std::int64_t packed = 0;
  if (outcome.status == "ok" && outcome.time_ns) {
    const double steps = std::log(*outcome.time_ns / best_ns) / packed_time_step;
    packed = static_cast<std::int64_t>(
        std::clamp(std::nearbyint(steps), 0.0, static_cast<double>(packed_first_status() - 1)));
  } else {
    const auto& statuses = packed_statuses();
    const auto found = std::find(statuses.begin(), statuses.end(), outcome.status);
    packed =
        packed_first_status() + std::min(std::distance(statuses.begin(), found), std::ssize(statuses) - 1);
  }
  append_number(packed, time_digits, text);
}

}  // namespace warptune::tuner
