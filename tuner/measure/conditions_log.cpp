#include "tuner/measure/conditions_log.hpp"

#include <algorithm>
#include <utility>

#include "tuner/measure/statistics.hpp"

namespace warptune::tuner {

bool ConditionsLog::add_round(const Conditions& seen) {
  bool holds = true;
  const auto against = [&](bool disturbed, int& rounds) {
    rounds += disturbed;
    holds = holds && !disturbed;
  };
  against(seen.slowdown_reasons != 0, throttled_);
  if (seen.temperature_c) highest_temperature_c_ = std::max(highest_temperature_c_, *seen.temperature_c);
  if (seen.longest_stall_ns) {
    longest_stall_ns_ = std::max(longest_stall_ns_, *seen.longest_stall_ns);
    against(*seen.longest_stall_ns > limits_.stall_ns, contended_);
  }
  if (seen.clock) {
    double usual = seen.clock->highest_mhz;
    for (const double mhz : recent_mhz_) usual = std::max(usual, mhz);
    against(seen.clock->lowest_mhz < limits_.clock_share * usual, slowed_);
    recent_mhz_.push_back(seen.clock->median_mhz);
    if (recent_mhz_.size() > limits_.usual_rounds) recent_mhz_.pop_front();
    lowest_mhz_ = mhz_.empty() ? seen.clock->lowest_mhz : std::min(lowest_mhz_, seen.clock->lowest_mhz);
    highest_mhz_ = std::max(highest_mhz_, seen.clock->highest_mhz);
    mhz_.push_back(seen.clock->median_mhz);
  }
  return holds;
}

std::map<std::string, double> ConditionsLog::figures() const {
  std::map<std::string, double> result;
  if (!mhz_.empty()) {
    result["sm_mhz_median"] = median(mhz_);
    result["sm_mhz_lowest"] = lowest_mhz_;
    result["sm_mhz_highest"] = highest_mhz_;
  }
  if (longest_stall_ns_ >= 0) result["longest_stall_us"] = longest_stall_ns_ / 1e3;
  if (highest_temperature_c_ >= 0) result["temperature_c_highest"] = highest_temperature_c_;
  const std::pair<const char*, int> counts[] = {
      {"throttled_rounds", throttled_}, {"contended_rounds", contended_}, {"slowed_rounds", slowed_}};
  for (const auto& [name, count] : counts)
    if (count > 0) result[name] = count;
  return result;
}

std::string disturbance_text(const std::map<std::string, double>& figures) {
  const std::pair<const char*, const char*> reasons[] = {
      {"contended_rounds", "another process computed on the GPU"},
      {"throttled_rounds", "the driver slowed the card (power or heat)"},
      {"slowed_rounds", "the clock fell"}};
  std::string text;
  for (const auto& [name, words] : reasons) {
    const auto found = figures.find(name);
    if (found == figures.end()) continue;
    const auto rounds = static_cast<int>(found->second);
    text += std::string(text.empty() ? "" : ", ") + words + " in " + std::to_string(rounds) +
            (rounds == 1 ? " round" : " rounds");
  }
  if (const auto uneven = figures.find("uneven_share"); uneven != figures.end())
    text +=
        std::string(text.empty() ? "" : ", ") + "some blocks took far longer than others of the same config";
  return text;
}

}  // namespace warptune::tuner
