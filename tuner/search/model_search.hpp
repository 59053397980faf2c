// Search by a model of the space: what is known says where to look next. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tuner/search/failure_model.hpp"
#include "tuner/search/gaussian_process.hpp"
#include "tuner/search/one_by_one.hpp"
#include "tuner/search/outlook.hpp"

namespace warptune::tuner {

// Guesses, then a start that spreads over the space, then whatever promises the largest expected improvement
// (Jones, Schonlau and Welch, 1998) of the logarithm of time under a Gaussian process, times the probability
// that it works. What was proposed and not told yet counts as if it came out as predicted (the "kriging
// believer" of Ginsbourger, Le Riche and Carraro, 2010).
class ModelSearch final : public OneByOne {
 public:
  ModelSearch(const SearchSpace& space, const StrategyOptions& options);

  void tell(const Observation& observation) override;
  // By the model; nothing while it knows too few times. Zeros when the space is exhausted.
  std::optional<Outlook> outlook();

 private:
  struct Known {
    Encoded encoded;
    Point point;
    std::optional<double> log_time;
    double uncertainty = 0;
  };

  std::optional<Point> next() override;
  void proposed(const Point& point) override { pending_.push_back(point); }
  std::optional<Point> spread();
  void refit();
  void learn(const std::vector<std::size_t>& timed);
  void make_candidates(const std::vector<std::size_t>& by_time);
  void incorporate(const Known& known);
  void tell_failures();
  std::optional<std::size_t> most_promising() const;
  double standardised(double log_time) const;
  double noise_of(const Known& known) const;
  std::vector<std::size_t> timed_points() const;
  double late_gain() const;

  const ModelParts parts_;
  SpaceKernel kernel_;
  GaussianProcess process_;
  FailureModel failures_;
  std::vector<Known> known_;
  std::vector<Point> pending_;  // proposed, not told
  std::size_t timed_ = 0, failed_ = 0;

  bool fitted_ = false;
  std::size_t believed_ = 0;  // pending points, from the first, that the process holds as predicted
  bool stale_ = false;        // one of those was told
  std::size_t fits_ = 0, refit_at_ = 0;  // fit anew when so many are timed
  double log_noise_ = -6, center_ = 0, unit_ = 1;
  std::vector<Point> candidates_;
  std::unordered_map<Point, std::size_t, PointHash> candidate_of_;
  std::vector<bool> open_;  // by candidate: not known yet
};

// One smooth model, and candidates at random alone.
std::unique_ptr<Strategy> make_model(const SearchSpace& space, const StrategyOptions& options);
// With all parts.
std::unique_ptr<Strategy> make_auto(const SearchSpace& space, const StrategyOptions& options);

}  // namespace warptune::tuner
