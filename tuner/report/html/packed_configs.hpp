// Configs and times of a kernel in a few characters each, so that half a million fit into a page; data.js unpacks
// them. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>

#include "tuner/report/json_value.hpp"

namespace warptune::tuner {

// A time is best * exp(number * step): accurate to half a step, 0.005 %, up to e^26 times the best.
inline constexpr double packed_time_step = 1e-4;
// Numbers from here on stand for failed configs.
std::int64_t packed_first_status();
// Their statuses, in order.
const std::vector<std::string>& packed_statuses();

class ConfigPacker {
 public:
  // Learns the values of tunables. All configs come before finish(), and finish() before all below.
  void learn(const db::NamedValues& config);
  // Error unsupported: more configs than a script's number can count.
  void finish();
  // [{"name", "values"}]: values sorted; a tunable that some configs lack has the value "-", too.
  JsonValue tunables() const;
  int code_digits() const { return code_digits_; }
  // Index of a value per tunable, mixed radix, the last tunable fastest.
  std::int64_t code(const db::NamedValues& config) const;
  // Appends code_digits() + 3 characters. `best_ns`: of the outcome's problem; of no account where none is ok.
  void pack(const db::OutcomeRecord& outcome, double best_ns, std::string& text) const;

 private:
  struct Values {
    std::map<db::NamedValue, std::int64_t> indices;
    std::int64_t configs = 0;  // that have the tunable
  };
  std::map<std::string, Values> values_;
  std::int64_t configs_ = 0;
  int code_digits_ = 1;
};

}  // namespace warptune::tuner
