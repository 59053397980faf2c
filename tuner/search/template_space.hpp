// The space of a kernel template's configs, as search strategies see it. Immutable; thread-safe.
#pragma once

#include <warptune/spec/space.hpp>
#include <warptune/tuner/search_space.hpp>

namespace warptune::tuner {

class TemplateSpace final : public SearchSpace {
 public:
  // Error bad_input: a tunable with more than 65535 values.
  explicit TemplateSpace(const spec::Instance& instance);

  // Preconditions: a point of these parameters; a config whose values are in the tunables' lists.
  spec::Config config(const Point& point) const;
  Point point(const spec::Config& config) const;
  const spec::Space& configs() const { return space_; }

  bool contains(const Point& point) const override { return space_.contains(config(point)); }
  std::optional<Point> sample(std::mt19937_64& random) const override;
  void for_each(const std::function<bool(const Point&)>& visit) const override;
  // Of the launch plan where it does not depend on compiled code: log2 of threads per block, blocks, waves of one
  // block per SM, and shared bytes of the largest step; log2 of the widest load. Zeros where it does.
  std::vector<double> features(const Point& point) const override;

 private:
  spec::Space space_;
};

}  // namespace warptune::tuner
