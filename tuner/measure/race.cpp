#include "tuner/measure/race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

double checked(double sample_ns) {
  if (!(sample_ns > 0) || !std::isfinite(sample_ns))
    throw Error(ErrorKind::internal,
                "a timing block of " + std::to_string(sample_ns) + " ns cannot be raced");
  return sample_ns;
}

// The race's state: who is left, and log times of complete rounds.
class Field {
 public:
  Field(std::size_t count, const Sampler& sample, const RaceOptions& options)
      : sample_(sample), options_(options), random_(options.seed), alive_(count), logs_(count) {
    std::iota(alive_.begin(), alive_.end(), std::size_t{0});
  }

  // Runs complete rounds until `target`; false when stopped before.
  bool run_until(int target) {
    while (rounds_ < target) {
      std::vector<std::size_t> order = alive_;
      std::shuffle(order.begin(), order.end(), random_);
      std::vector<double> times(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (options_.stop && options_.stop()) return false;
        times[i] = std::log(checked(sample_(order[i])));
      }
      if (options_.round_holds && !options_.round_holds()) {
        if (repeated_ < options_.repeats_at_most) {
          ++repeated_;
          continue;
        }
        ++disturbed_;
      }
      for (std::size_t i = 0; i < order.size(); ++i) logs_[order[i]].push_back(times[i]);
      ++rounds_;
    }
    return true;
  }

  // Standard deviation of one block's log time, without what all blocks of its candidate or of its round have in common.
  double block_noise() const {
    const auto rounds = static_cast<std::size_t>(rounds_);
    if (alive_.size() < 2 || rounds < 2) return std::numeric_limits<double>::infinity();
    std::vector<double> of_round(rounds);
    double overall = 0;
    for (const std::size_t c : alive_)
      for (std::size_t r = 0; r < rounds; ++r)
        of_round[r] += logs_[c][r] / static_cast<double>(alive_.size());
    for (const double mean : of_round) overall += mean / static_cast<double>(rounds);
    double squares = 0;
    for (const std::size_t c : alive_) {
      const double of_candidate = mean_sd(logs_[c]).mean;
      for (std::size_t r = 0; r < rounds; ++r) {
        const double rest = logs_[c][r] - of_candidate - of_round[r] + overall;
        squares += rest * rest;
      }
    }
    return std::sqrt(squares / static_cast<double>((alive_.size() - 1) * (rounds - 1)));
  }

  void keep_near_best_median() {
    const double within =
        std::clamp(options_.early_noise * block_noise(),
                   std::min(options_.early_keep_least, options_.early_keep), options_.early_keep);
    double best = std::numeric_limits<double>::infinity();
    for (const std::size_t c : alive_) best = std::min(best, median(logs_[c]));
    std::erase_if(alive_, [&](std::size_t c) { return median(logs_[c]) > best + within; });
    const double pairs = static_cast<double>(alive_.size()) * static_cast<double>(alive_.size() - 1);
    pair_level_ =
        pairs > 0 ? options_.alpha / (static_cast<double>(options_.looks.size()) * pairs) : options_.alpha;
  }

  std::size_t leader() const {
    return *std::min_element(alive_.begin(), alive_.end(), [&](std::size_t a, std::size_t b) {
      return mean_sd(logs_[a]).mean < mean_sd(logs_[b]).mean;
    });
  }

  void drop_slower_than(std::size_t lead) {
    std::erase_if(alive_, [&](std::size_t c) {
      if (c == lead) return false;
      const Difference d = difference(c, lead);
      return d.mean - d.half_width > 0 && d.mean > options_.drop_floor;
    });
  }

  // Drops those that cannot give `rounds` blocks. False, and drops none, when one of them leads.
  bool drop_exhausted(int rounds) {
    if (options_.available.empty()) return true;
    if (options_.available[leader()] < rounds) return false;
    std::erase_if(alive_, [&](std::size_t c) { return options_.available[c] < rounds; });
    return true;
  }

  std::vector<std::size_t> certified() const {
    std::vector<std::size_t> result;
    const double bound = std::log1p(options_.margin);
    for (const std::size_t c : alive_) {
      const bool holds = std::all_of(alive_.begin(), alive_.end(), [&](std::size_t rival) {
        if (rival == c) return true;
        const Difference d = difference(c, rival);
        return d.mean + d.half_width <= bound;
      });
      if (holds) result.push_back(c);
    }
    return result;
  }

  int rounds() const { return rounds_; }
  int repeated() const { return repeated_; }
  int disturbed() const { return disturbed_; }
  const std::vector<std::size_t>& alive() const { return alive_; }
  std::vector<double> samples_ns(std::size_t c) const {
    std::vector<double> times(logs_[c].size());
    std::transform(logs_[c].begin(), logs_[c].end(), times.begin(), [](double y) { return std::exp(y); });
    return times;
  }

 private:
  struct Difference {
    double mean, half_width;
  };

  Difference difference(std::size_t a, std::size_t b) const {
    const MeanSd d = paired_difference(logs_[a], logs_[b]);
    const auto rounds = static_cast<std::size_t>(rounds_);
    const double t = critical_value(rounds);
    return {d.mean, t * d.sd / std::sqrt(static_cast<double>(rounds))};
  }

  // The quantile costs microseconds and is the same for all pairs of a look.
  double critical_value(std::size_t rounds) const {
    if (critical_rounds_ != rounds) {
      critical_rounds_ = rounds;
      critical_value_ = student_t_upper(pair_level_, rounds - 1);
    }
    return critical_value_;
  }

  const Sampler& sample_;
  const RaceOptions& options_;
  std::mt19937_64 random_;
  std::vector<std::size_t> alive_;
  std::vector<std::vector<double>> logs_;
  double pair_level_ = 0;
  int rounds_ = 0, repeated_ = 0, disturbed_ = 0;
  mutable std::size_t critical_rounds_ = 0;
  mutable double critical_value_ = 0;
};

}  // namespace

RaceResult race(std::size_t count, const Sampler& sample, const Preference& preferred,
                const RaceOptions& options) {
  if (count == 0) throw Error(ErrorKind::usage, "a race needs at least one candidate");
  Field field(count, sample, options);
  RaceResult result;
  bool running = field.run_until(options.early_rounds);
  if (running) field.keep_near_best_median();
  for (const int look : options.looks) {
    running = running && field.drop_exhausted(look) && field.run_until(look);
    if (!running) break;
    field.drop_slower_than(field.leader());
    result.tied = field.certified();
    if (!result.tied.empty()) break;
  }
  result.rounds = field.rounds();
  result.repeated_rounds = field.repeated();
  result.disturbed_rounds = field.disturbed();
  for (std::size_t c = 0; c < count; ++c) result.samples_ns.push_back(field.samples_ns(c));
  result.uneven_share = uneven_share(result.samples_ns);
  result.certified =
      !result.tied.empty() && result.disturbed_rounds == 0 && result.uneven_share <= options.uneven_at_most;
  result.survivors = field.alive();
  if (field.rounds() > 0) {
    result.leader = field.leader();
    result.winner = result.certified ? *std::min_element(result.tied.begin(), result.tied.end(), preferred)
                                     : result.leader;
  }
  if (!result.samples_ns[result.winner].empty())
    result.interval_ns = median_interval(result.samples_ns[result.winner]);
  return result;
}

double uneven_share(const std::vector<std::vector<double>>& samples_ns) {
  constexpr double uneven = 0.10;  // in log time
  std::vector<std::vector<double>> by_round;
  for (const std::vector<double>& samples : samples_ns) {
    if (samples.size() < 3) continue;  // too few to know what is usual
    const double usual = std::log(median(samples));
    by_round.resize(std::max(by_round.size(), samples.size()));
    for (std::size_t r = 0; r < samples.size(); ++r) by_round[r].push_back(std::log(samples[r]) - usual);
  }
  std::size_t blocks = 0, far = 0;
  for (const std::vector<double>& round : by_round) {
    const double common = round.size() > 2 ? median(round) : 0;
    blocks += round.size();
    far += static_cast<std::size_t>(
        std::count_if(round.begin(), round.end(), [&](double y) { return y - common > uneven; }));
  }
  return blocks == 0 ? 0 : static_cast<double>(far) / static_cast<double>(blocks);
}

PairResult compare_pair(const std::function<double()>& sample_a, const std::function<double()>& sample_b,
                        int repetitions) {
  PairResult result;
  std::vector<double> differences;
  for (int i = 0; i < repetitions; ++i) {
    const double a1 = checked(sample_a());
    const double b1 = checked(sample_b());
    const double b2 = checked(sample_b());
    const double a2 = checked(sample_a());
    result.a_ns.insert(result.a_ns.end(), {a1, a2});
    result.b_ns.insert(result.b_ns.end(), {b1, b2});
    differences.push_back((std::log(a1) + std::log(a2) - std::log(b1) - std::log(b2)) / 2);
  }
  const Interval logs = mean_interval(differences);
  result.ratio = std::exp(mean_sd(differences).mean);
  result.ratio_95 = {std::exp(logs.low), std::exp(logs.high)};
  return result;
}

}  // namespace warptune::tuner
