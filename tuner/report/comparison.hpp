// What changed between two tunings: winners, and every config that both tried, with significance. Pure functions,
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/lifecycle.hpp>

namespace warptune::tuner {

// The results of one problem on one side.
struct Tuning {
  db::ProblemKey problem;
  db::Toolchain toolchain;
  std::map<db::NamedValues, db::OutcomeRecord> outcomes;
  std::vector<db::WinnerRecord> winners;
};

// Relative change of a time, b / a - 1. The interval is Welch's for the mean logarithm of the block times, at 95 %
// divided among the comparisons that are made together (Bonferroni). Blocks of one run share its clocks, so an
// interval tells nothing about another run's: a change counts only beyond `repeatability`, too.
struct Change {
  double relative = 0;
  std::optional<double> low, high;  // absent with fewer than two blocks on a side
  bool significant = false;
};

// Times of one config differ by up to this much between runs with nothing changed.
inline constexpr double repeatability = 0.01;

// `comparisons`: how many are made together. Times are positive.
Change change_of(const db::OutcomeRecord& a, const db::OutcomeRecord& b, std::size_t comparisons);

struct WinnerChange {
  int alignment_bytes = 1;
  std::optional<db::WinnerRecord> a, b;
  bool same_config = false;
  Change change;                       // b's winner against a's; where both exist
  std::optional<double> old_over_new;  // in b: time of a's winner over that of b's
};

struct ConfigChange {
  db::NamedValues config;
  std::string status_a, status_b;
  std::optional<double> a_ns, b_ns;
  Change change;  // where both are ok
};

struct Comparison {
  db::ProblemKey a, b;
  db::Toolchain toolchain_a, toolchain_b;
  std::vector<WinnerChange> winners;
  std::int64_t common = 0;                // configs that are ok on both sides
  std::int64_t faster = 0, slower = 0;    // of these, significantly
  std::int64_t only_a = 0, only_b = 0;    // tried on one side alone
  std::int64_t status_changed = 0;        // ok on one side, failed on the other
  std::optional<double> median_relative;  // of the common configs: what befell all of them
  std::vector<ConfigChange> changes;      // significant or of changed status, largest first
};

Comparison compare(const Tuning& a, const Tuning& b);

struct Pairing {
  std::vector<std::pair<const Tuning*, const Tuning*>> pairs;
  std::vector<const Tuning*> only_a, only_b;
  bool across_devices = false;  // no device is on both sides, so problems were matched without it
};
// Problems that match in all but the template hash. The tunings must outlive the result.
Pairing pair_up(const std::vector<Tuning>& a, const std::vector<Tuning>& b);

}  // namespace warptune::tuner
