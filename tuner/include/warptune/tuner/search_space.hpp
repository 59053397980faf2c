// A tuning space as search strategies see it: ordered values, which combinations exist, samples, neighbours.
// Const members are thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace warptune::tuner {

// A config: for each parameter the index of its value. Precondition everywhere: one index per parameter, each
// below its number of values.
using Point = std::vector<std::uint16_t>;

struct PointHash {
  std::size_t operator()(const Point& point) const noexcept;
};

struct Parameter {
  std::string name;
  std::vector<double> values;  // in the order in which they are written; 1 to 65535 of them
  bool ordered = true;         // false: words; `values` are then their indices, and steps mean nothing
};

class SearchSpace {
 public:
  explicit SearchSpace(std::vector<Parameter> parameters);
  virtual ~SearchSpace() = default;
  SearchSpace(const SearchSpace&) = delete;
  SearchSpace& operator=(const SearchSpace&) = delete;

  const std::vector<Parameter>& parameters() const { return parameters_; }
  // Product of the value counts, constraints ignored; saturates at 2^63-1.
  std::int64_t cartesian_size() const { return cartesian_size_; }

  virtual bool contains(const Point& point) const = 0;
  // A random point of the space, near uniform; nothing when none was found. Reproducible from the generator's
  // state.
  virtual std::optional<Point> sample(std::mt19937_64& random) const = 0;
  // Every point once, until the visitor returns false. The order is the same each time.
  virtual void for_each(const std::function<bool(const Point&)>& visit) const = 0;
  // Figures known before a point is compiled that speed may depend on (threads per block, waves, bytes per
  // load, ...), equally many for each point of the space; none by default.
  virtual std::vector<double> features(const Point&) const { return {}; }

  // The points that differ from `point` in one parameter; `adjacent`: by one step, where the parameter is
  // ordered.
  std::vector<Point> neighbours(const Point& point, bool adjacent) const;
  // At most `limit` points, in the same order each time; nothing when there are more.
  virtual std::optional<std::vector<Point>> list(std::size_t limit) const;
  // About how many combinations list() looks at.
  virtual std::int64_t listing_cost() const { return cartesian_size(); }

 private:
  std::vector<Parameter> parameters_;
  std::int64_t cartesian_size_ = 1;
};

}  // namespace warptune::tuner
