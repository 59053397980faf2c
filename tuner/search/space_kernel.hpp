// How alike the speeds of two configs are expected to be: the covariance of the model-based strategies.
// One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <warptune/tuner/strategy.hpp>

namespace warptune::tuner {

// A point and its features, as indices into tables of distances. Only its SpaceKernel can read it.
using Encoded = std::vector<std::uint16_t>;

enum class KernelShape {
  matern52,     // (1 + r + r^2 / 3) exp(-r), r = sqrt(5) distance / length: smooth slopes
  exponential,  // exp(-distance / length): steps anywhere
};

// A product over the parameters, so that a length can say how much each matters (Rasmussen and Williams,
// "Gaussian Processes for Machine Learning", 2006, sections 4.2 and 5.1). The distance of two values of an
// ordered parameter is that of their ranks averaged with that of their logarithms, each scaled to 0..1,
// together with that of how often two divides them: speed depends on multiples of warps, banks and
// vectors. Words are alike or not. Features (SearchSpace::features) are compared in steps of a quarter.
class SpaceKernel {
 public:
  SpaceKernel(const SearchSpace& space, const ModelParts& parts);

  Encoded encode(const Point& point) const;
  std::size_t dimensions() const { return tables_.size(); }

  // Covariance, 1 for equal points.
  double covariance(const Encoded& a, const Encoded& b) const {
    float product = 1;
    for (std::size_t d = 0; d < tables_.size(); ++d)
      product *= tables_[d].covariance[std::size_t{a[d]} * tables_[d].count + b[d]];
    return static_cast<double>(product);
  }
  // Derivative of the covariance's logarithm by the logarithm of dimension d's length.
  double slope(std::size_t d, const Encoded& a, const Encoded& b) const {
    return static_cast<double>(tables_[d].slope[std::size_t{a[d]} * tables_[d].count + b[d]]);
  }
  // Distance along dimension d, about 0 to 1.
  double distance(std::size_t d, const Encoded& a, const Encoded& b) const {
    return static_cast<double>(tables_[d].distance[std::size_t{a[d]} * tables_[d].count + b[d]]);
  }

  const std::vector<double>& log_lengths() const { return log_lengths_; }
  // Where nothing is known: the lengths grow with the number of dimensions, as the distances do.
  double usual_log_length() const { return usual_log_length_; }
  // Precondition: one length a dimension.
  void set(const std::vector<double>& log_lengths, KernelShape shape);
  KernelShape shape() const { return shape_; }

 private:
  struct Table {
    std::size_t count = 0;                           // values
    bool even = false;                               // distances depend on the difference of indices alone
    std::vector<float> distance, covariance, slope;  // count x count
  };

  void tabulate(Table& table, double log_length) const;

  const SearchSpace& space_;
  std::size_t features_ = 0;
  std::vector<Table> tables_;
  std::vector<double> log_lengths_;
  double usual_log_length_ = 0;
  KernelShape shape_ = KernelShape::matern52;
};

}  // namespace warptune::tuner
