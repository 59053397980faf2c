#include "tuner/report/t4.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>

#include "tuner/measure/statistics.hpp"
#include "tuner/report/run_json.hpp"

namespace warptune::tuner {
namespace {

constexpr double ns_per_ms = 1e6;

// "2026-11-30T09:43:00.123+00:00"; times before 1970 are none.
std::string timestamp(std::int64_t at_unix_ms) {
  at_unix_ms = std::max<std::int64_t>(0, at_unix_ms);
  const std::time_t seconds = static_cast<std::time_t>(at_unix_ms / 1000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return fmt::format("{}.{:03}+00:00", text, at_unix_ms % 1000);
}

// 0 (not known) for what is written otherwise; offsets from UTC are taken into account.
std::int64_t parse_timestamp(const std::string& text) {
  std::tm time{};
  char separator = 0;
  int used = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2d%c%2d:%2d:%2d%n", &time.tm_year, &time.tm_mon, &time.tm_mday,
                  &separator, &time.tm_hour, &time.tm_min, &time.tm_sec, &used) != 7 ||
      (separator != 'T' && separator != ' ') || time.tm_year < 1970 || time.tm_year > 9999)
    return 0;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  const std::int64_t seconds = static_cast<std::int64_t>(timegm(&time));
  const std::string rest = text.substr(static_cast<std::size_t>(used));
  int milliseconds = 0, hours = 0, minutes = 0;
  if (rest.starts_with("."))
    milliseconds = static_cast<int>(std::lround(std::atof(("0" + rest).c_str()) * 1000));
  std::int64_t offset_s = 0;
  if (const std::size_t at = rest.find_first_of("+-"); at != std::string::npos) {
    if (std::sscanf(rest.c_str() + at + 1, "%2d:%2d", &hours, &minutes) == 2)
      offset_s = (rest[at] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  }
  return (seconds - offset_s) * 1000 + milliseconds;
}

struct Validity {
  const char* status;  // ours
  const char* word;    // of T4
};
constexpr Validity validities[] = {{"ok", "correct"},
                                   {"excluded", "constraints"},
                                   {"compile_error", "compile"},
                                   {"launch_error", "runtime"},
                                   {"resource_limit", "runtime"},
                                   {"crashed", "runtime"},
                                   {"wrong_result", "correctness"},
                                   {"timed_out", "timeout"}};

const char* invalidity(const std::string& status) {
  for (const Validity& each : validities)
    if (status == each.status) return each.word;
  return "runtime";
}

// The first of ours that has the word; nothing for an unknown word.
const char* status_of(const std::string& word) {
  for (const Validity& each : validities)
    if (word == each.word) return each.status;
  return nullptr;
}

double ns_per_unit(const JsonReader& measurement) {
  const auto unit = measurement.find("unit");
  if (!unit || unit->text().empty()) return ns_per_ms;  // the format's own unit of time
  for (const auto& [name, factor] : {std::pair("s", 1e9), std::pair("ms", 1e6), std::pair("us", 1e3),
                                     std::pair("\u00b5s", 1e3), std::pair("ns", 1.0)})
    if (unit->text() == name) return factor;
  unit->fail("is no unit of time that is known: s, ms, us or ns");
}

JsonValue measurement(const char* name, JsonValue value, const char* unit) {
  return JsonObject{{"name", name}, {"value", std::move(value)}, {"unit", unit}};
}

db::NamedValues read_configuration(const JsonReader& json) {
  db::NamedValues config;
  for (const auto& [name, value] : json.members()) {
    if (const auto* flag = std::get_if<bool>(&value.value().value)) {
      config[name] = std::int64_t{*flag};
    } else if (const auto* real = std::get_if<double>(&value.value().value)) {
      const bool whole = std::nearbyint(*real) == *real && std::abs(*real) < 1e15;
      if (whole) {
        config[name] = static_cast<std::int64_t>(*real);
      } else {
        config[name] = fmt::format("{}", *real);
      }
    } else if (value.is_text()) {
      config[name] = value.text();
    } else {
      config[name] = value.integer();
    }
  }
  return config;
}

// What our own documents add under these names.
void read_measurement(const std::string& name, const JsonReader& each, db::OutcomeRecord& outcome) {
  const JsonReader value = each.at("value");
  if (name == "time") {
    // Failed configs carry words or huge numbers here.
    if (!value.is_text()) outcome.time_ns = value.real() * ns_per_unit(each);
  } else if (name == "warptune_status") {
    outcome.status = value.text();
  } else if (name == "warptune_reason") {
    outcome.reason = value.text();
  } else if (name == "registers") {
    outcome.registers = value.small_integer();
  } else if (name == "local_bytes") {
    outcome.local_bytes = value.small_integer();
  } else if (name == "shared_bytes") {
    outcome.shared_bytes = value.small_integer();
  } else if (name == "alignment_bytes") {
    outcome.alignment_bytes = value.small_integer();
  } else if (name == "max_error") {
    outcome.max_error = value.real();
  }
}

db::OutcomeRecord read_outcome(const JsonReader& result) {
  db::OutcomeRecord outcome;
  outcome.config = read_configuration(result.at("configuration"));
  const JsonReader word = result.at("invalidity");
  const char* status = status_of(word.text());
  if (status == nullptr) word.fail("is none of timeout, compile, runtime, correctness, constraints, correct");
  outcome.status = status;
  if (const auto stamp = result.find("timestamp")) outcome.at_unix_ms = parse_timestamp(stamp->text());
  if (const auto runtimes = result.at("times").find("runtimes")) {
    for (const JsonReader& each : runtimes->items())
      outcome.blocks_ns.push_back(static_cast<float>(each.real() * ns_per_ms));
  }
  if (const auto measurements = result.find("measurements")) {
    for (const JsonReader& each : measurements->items()) {
      const auto name = each.find("name");
      if (name && each.find("value")) read_measurement(name->text(), each, outcome);
    }
  }
  if (outcome.status == "ok") {
    if (!outcome.time_ns && !outcome.blocks_ns.empty()) {
      const std::vector<double> times(outcome.blocks_ns.begin(), outcome.blocks_ns.end());
      outcome.time_ns = median(times);
    }
    if (!outcome.time_ns || !std::isfinite(*outcome.time_ns) || *outcome.time_ns <= 0)
      result.fail("is correct but holds no time");
  } else {
    outcome.time_ns.reset();
    outcome.blocks_ns.clear();
    if (outcome.reason.empty()) outcome.reason = "T4: " + word.text();
  }
  return outcome;
}

}  // namespace

JsonValue t4_result(const db::ProblemKey& problem, const db::OutcomeRecord& outcome) {
  JsonArray runtimes;
  for (const float block : outcome.blocks_ns) runtimes.emplace_back(static_cast<double>(block) / ns_per_ms);
  JsonArray measurements;
  if (outcome.time_ns) measurements.push_back(measurement("time", *outcome.time_ns / ns_per_ms, "ms"));
  measurements.push_back(measurement("warptune_status", outcome.status, ""));
  if (!outcome.reason.empty()) measurements.push_back(measurement("warptune_reason", outcome.reason, ""));
  measurements.push_back(measurement("registers", outcome.registers, ""));
  measurements.push_back(measurement("local_bytes", outcome.local_bytes, "B"));
  measurements.push_back(measurement("shared_bytes", outcome.shared_bytes, "B"));
  measurements.push_back(measurement("alignment_bytes", outcome.alignment_bytes, "B"));
  if (outcome.max_error && std::isfinite(*outcome.max_error))
    measurements.push_back(measurement("max_error", *outcome.max_error, ""));
  return JsonObject{{"timestamp", timestamp(outcome.at_unix_ms)},
                    {"configuration", json_of(outcome.config)},
                    {"objectives", JsonArray{"time"}},
                    {"times", JsonObject{{"runtimes", std::move(runtimes)}}},
                    {"invalidity", invalidity(outcome.status)},
                    {"correctness", outcome.status == "ok" ? 1 : 0},
                    {"measurements", std::move(measurements)},
                    {"problem", json_of(problem)}};
}

std::vector<T4Result> read_t4(const JsonReader& document) {
  const JsonReader version = document.at("schema_version");
  if (!version.text().starts_with("1.")) version.fail("is no version of T4 that is known: 1.x");
  std::vector<T4Result> results;
  for (const JsonReader& each : document.at("results").items()) {
    T4Result result;
    if (const auto problem = each.find("problem")) result.problem = read_problem(*problem);
    result.outcome = read_outcome(each);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace warptune::tuner
