// What a card went through during a run, round by round, and which rounds cannot be believed. Knows values only. One thread at a
// time.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include <warptune/tuner/conditions.hpp>

namespace warptune::tuner {

struct ConditionLimits {
  double stall_ns = 200'000;     // a longer one: somebody else computed
  double clock_share = 0.97;     // of the usual clock; below: it fell
  std::size_t usual_rounds = 5;  // the usual clock is the highest median of so many rounds
};

class ConditionsLog {
 public:
  explicit ConditionsLog(ConditionLimits limits = {}) : limits_(limits) {}

  // True: nothing seen in this round speaks against its times. False: the driver slowed the card, another process computed on
  // it, or its clock fell, within the round or below what the rounds before had.
  bool add_round(const Conditions& seen);
  // A run's figures with units, as they are stored: db/SCHEMA.md, `clocks`. Without rounds, or knowing nothing: empty.
  std::map<std::string, double> figures() const;

 private:
  ConditionLimits limits_;
  std::deque<double> recent_mhz_;  // medians
  std::vector<double> mhz_;        // of all rounds
  double lowest_mhz_ = 0, highest_mhz_ = 0;
  double longest_stall_ns_ = -1, highest_temperature_c_ = -1;
  int throttled_ = 0, contended_ = 0, slowed_ = 0;
};

// Which of the reasons the figures of a run name, for a sentence: "another process computed on the GPU in 3 rounds, ..."; empty
// where none does.
std::string disturbance_text(const std::map<std::string, double>& figures);

}  // namespace warptune::tuner
