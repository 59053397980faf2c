#include "tuner/search/failure_model.hpp"

namespace warptune::tuner {

void FailureModel::set_candidates(std::vector<Encoded> candidates) {
  candidates_ = std::move(candidates);
  worked_.assign(candidates_.size(), 0);
  failed_.assign(candidates_.size(), 0);
}

void FailureModel::tell(const Encoded& point, bool failed) {
  std::vector<double>& votes = failed ? failed_ : worked_;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const double covariance = kernel_.covariance(point, candidates_[i]);
    votes[i] += covariance * covariance;
  }
}

}  // namespace warptune::tuner
