// The space of a kernel template's configs, as search strategies see it. One thread at a time.
#pragma once

#include <vector>

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
  std::optional<std::vector<Point>> list(std::size_t limit) const override;
  std::int64_t listing_cost() const override { return space_.quick_count().value_or(cartesian_size()); }
  // Figures of the largest step, as logarithms to base 2: threads per block, blocks, threads in all, waves, resident threads
  // per SM, dynamic shared bytes, and bytes of the widest load, by the launch plan; then registers and local bytes, which
  // are known once a config was compiled: others get those of the config most like them that was. The
  // plan's are zeros where it depends on compiled code, the latter while none is known.
  std::vector<double> features(const Point& point) const override;
  // What compiling brought to light about a config.
  void know(const Point& point, const spec::KernelTraits& kernel);

 private:
  struct Compiled {
    Point point;
    spec::KernelTraits kernel;
  };
  spec::KernelTraits kernel_of(const Point& point) const;

  spec::Space space_;
  std::vector<Compiled> compiled_;
};

}  // namespace warptune::tuner
