#include "tuner/search/model_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tuner/search/candidates.hpp"
#include "tuner/search/draw.hpp"

namespace warptune::tuner {
namespace {

// Chosen on recorded spaces, none for one of them: see docs/search.md.
constexpr std::size_t spread_points = 8;        // before the model is first asked
constexpr std::size_t fewest_timed = 3;         // that it needs
constexpr std::size_t spread_choices = 50;      // of which the one farthest from all known is taken
constexpr std::size_t spread_looks_back = 200;  // known points that it keeps away from
constexpr double refit_growth = 1.15;           // more timed points, until lengths are learned anew
constexpr double slow_end = 3;  // standardised times above count as this: how slow matters not
constexpr std::size_t learned_from = 150, modelled = 320;  // points at most
constexpr std::size_t refit_every = 64;                    // timed points at most

// Logarithm of the expected improvement below `best` of a normal variable, without underflow.
double log_expected_improvement(double best, double mean, double deviation) {
  const double z = (best - mean) / deviation;
  const double density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  // Mills' ratio bounds the tail: expected improvement is about density / z^2 there.
  if (z < -6) return std::log(deviation) - z * z / 2 - 2 * std::log(-z) - 0.9189385332046727;
  return std::log(deviation * (z * std::erfc(-z / std::numbers::sqrt2) / 2 + density));
}

}  // namespace

ModelSearch::ModelSearch(const SearchSpace& space, const StrategyOptions& options)
    : OneByOne(space, options),
      parts_(options.parts),
      kernel_(space, options.parts),
      process_(kernel_),
      failures_(kernel_) {}

void ModelSearch::tell(const Observation& observation) {
  proposals_.add(observation.point);
  const auto pending = std::find(pending_.begin(), pending_.end(), observation.point);
  if (pending != pending_.end()) {
    if (pending - pending_.begin() < static_cast<std::ptrdiff_t>(believed_)) {
      stale_ = true;
      --believed_;
    }
    pending_.erase(pending);
  }
  Known known{kernel_.encode(observation.point), observation.point, std::nullopt, observation.uncertainty};
  if (observation.time) known.log_time = std::log(*observation.time);
  ++(observation.time ? timed_ : failed_);
  known_.push_back(std::move(known));
  if (fitted_) incorporate(known_.back());
}

std::optional<Point> ModelSearch::next() {
  if (known_.size() + pending_.size() < spread_points || timed_ < fewest_timed) return spread();
  if (!fitted_ || stale_ || timed_ >= refit_at_) refit();
  while (believed_ < pending_.size())
    process_.add(kernel_.encode(pending_[believed_++]), std::nullopt, std::exp(log_noise_));
  const std::optional<std::size_t> candidate = most_promising();
  if (!candidate) return proposals_.random_fresh();
  open_[*candidate] = false;
  return candidates_[*candidate];
}

// Of some points at random the one whose nearest known point is farthest (maximin design: Johnson, Moore and
// Ylvisaker, 1990).
std::optional<Point> ModelSearch::spread() {
  std::vector<Encoded> away;
  for (std::size_t i = known_.size() - std::min(known_.size(), spread_looks_back); i < known_.size(); ++i)
    away.push_back(known_[i].encoded);
  for (const Point& point : pending_) away.push_back(kernel_.encode(point));
  std::optional<Point> best;
  double farthest = -1;
  for (std::size_t i = 0; i < (away.empty() ? 1 : spread_choices); ++i) {
    std::optional<Point> point = proposals_.random_fresh();
    if (!point) break;
    const Encoded encoded = kernel_.encode(*point);
    double nearest = std::numeric_limits<double>::infinity();
    for (const Encoded& other : away) {
      double apart = 0;
      for (std::size_t d = 0; d < kernel_.dimensions(); ++d)
        apart += std::min(1.0, std::sqrt(kernel_.distance(d, encoded, other)));
      nearest = std::min(nearest, apart);
    }
    if (nearest <= farthest) continue;
    farthest = nearest;
    best = std::move(point);
  }
  return best;
}

double ModelSearch::standardised(double log_time) const {
  return std::min(slow_end, (log_time - center_) / unit_);
}

double ModelSearch::noise_of(const Known& known) const {
  const double deviation = known.uncertainty / unit_;
  return deviation * deviation / (fitted_ ? process_.prior_variance() : 1);
}

std::vector<std::size_t> ModelSearch::timed_points() const {
  std::vector<std::size_t> timed;
  for (std::size_t i = 0; i < known_.size(); ++i)
    if (known_[i].log_time) timed.push_back(i);
  return timed;
}

void ModelSearch::refit() {
  std::vector<std::size_t> by_time = timed_points();
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](std::size_t a, std::size_t b) { return *known_[a].log_time < *known_[b].log_time; });
  center_ = *known_[by_time[by_time.size() / 2]].log_time;
  unit_ = std::max(1e-3, (center_ - *known_[by_time.front()].log_time) / 2);

  // All points while they are few; else the best and the latest ones.
  std::vector<std::size_t> chosen = by_time;
  if (chosen.size() > modelled) {
    std::sort(chosen.begin() + modelled / 2, chosen.end(), std::greater<>());
    chosen.resize(modelled);
  }
  const bool lengths_too = !fitted_ || timed_ >= refit_at_;
  if (lengths_too) {
    const bool steps = parts_.kernels && fits_ % 2 == 1;
    kernel_.set(kernel_.log_lengths(), steps ? KernelShape::exponential : KernelShape::matern52);
    learn(by_time);
    ++fits_;
    const auto grown = static_cast<std::size_t>(static_cast<double>(timed_) * refit_growth);
    refit_at_ = std::clamp(grown, timed_ + 1, timed_ + refit_every);
  }
  std::vector<Encoded> points;
  std::vector<double> values, noise;
  for (const std::size_t i : chosen) {
    points.push_back(known_[i].encoded);
    values.push_back(standardised(*known_[i].log_time));
    noise.push_back(std::exp(log_noise_) + noise_of(known_[i]));
  }
  process_.fit(points, values, noise);
  fitted_ = true;
  stale_ = false;
  believed_ = 0;
  make_candidates(by_time);
}

// From the best points and some of the others, evenly over the ranks.
void ModelSearch::learn(const std::vector<std::size_t>& by_time) {
  std::vector<Encoded> points;
  std::vector<double> values, noise;
  const auto take = [&](std::size_t i) {
    points.push_back(known_[i].encoded);
    values.push_back(standardised(*known_[i].log_time));
    noise.push_back(noise_of(known_[i]));
  };
  const std::size_t count = std::min(learned_from, by_time.size());
  const std::size_t best = by_time.size() <= learned_from ? count : count / 2;
  for (std::size_t i = 0; i < best; ++i) take(by_time[i]);
  for (std::size_t i = 0; i < count - best; ++i)
    take(by_time[best + i * (by_time.size() - best) / (count - best)]);
  learn_lengths(kernel_, log_noise_, points, values, noise);
}

void ModelSearch::make_candidates(const std::vector<std::size_t>& by_time) {
  std::vector<Point> best;
  if (parts_.local)
    for (std::size_t i = 0; i < std::min<std::size_t>(20, by_time.size()); ++i)
      best.push_back(known_[by_time[i]].point);
  candidates_ = candidates(proposals_, best, {});
  candidate_of_.clear();
  std::vector<Encoded> encoded;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    candidate_of_.emplace(candidates_[i], i);
    encoded.push_back(kernel_.encode(candidates_[i]));
  }
  open_.assign(candidates_.size(), true);
  process_.set_candidates(encoded);
  failures_.set_candidates(std::move(encoded));
  if (failed_ > 0) tell_failures();
}

void ModelSearch::tell_failures() {
  for (const Known& known : known_) failures_.tell(known.encoded, !known.log_time);
}

void ModelSearch::incorporate(const Known& known) {
  const auto found = candidate_of_.find(known.point);
  if (found != candidate_of_.end()) open_[found->second] = false;
  if (failed_ == 1 && !known.log_time) {
    tell_failures();  // until now nobody counted
  } else if (failed_ > 0) {
    failures_.tell(known.encoded, !known.log_time);
  }
  if (!known.log_time || stale_ || timed_ >= refit_at_) return;
  const double value = standardised(*known.log_time);
  process_.add(known.encoded, value, std::exp(log_noise_) + noise_of(known));
}

std::optional<std::size_t> ModelSearch::most_promising() const {
  // What the best is expected to be without noise: a lucky observation must not hide what is as good (the plug-in of
  // Picheny, Wagner and Ginsbourger, 2013).
  const double best_mean = process_.least_mean();
  std::optional<std::size_t> best;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (!open_[i]) continue;
    const GaussianProcess::Prediction prediction = process_.predict(i);
    double gain = log_expected_improvement(best_mean, prediction.mean, prediction.deviation);
    if (parts_.failures && failed_ > 0) gain += std::log(failures_.works(i));
    if (gain <= most) continue;
    most = gain;
    best = i;
  }
  return best;
}

std::optional<Outlook> ModelSearch::outlook() {
  if (timed_ < fewest_timed) return std::nullopt;
  refit();
  std::vector<Promise> unknown;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (!open_[i]) continue;
    const GaussianProcess::Prediction prediction = process_.predict(i);
    unknown.push_back({prediction.mean, prediction.deviation, failed_ > 0 ? failures_.works(i) : 1});
  }
  Outlook result = outlook_of(unknown, process_.least_mean(), unit_);
  if (!unknown.empty()) result.at_most = gain_at_most(result.any_gain, late_gain(), known_.size());
  return result;
}

// The share of the best time of the first half of the trials that the second half saved.
double ModelSearch::late_gain() const {
  double early = std::numeric_limits<double>::infinity(), all = early;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (!known_[i].log_time) continue;
    all = std::min(all, *known_[i].log_time);
    if (i < known_.size() / 2) early = all;
  }
  return -std::expm1(all - early);
}

std::unique_ptr<Strategy> make_model(const SearchSpace& space, const StrategyOptions& options) {
  StrategyOptions plain = options;
  plain.parts.local = plain.parts.kernels = false;
  return std::make_unique<ModelSearch>(space, plain);
}

std::unique_ptr<Strategy> make_auto(const SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<ModelSearch>(space, options);
}

}  // namespace warptune::tuner
