// A tuning space of which every config was measured and recorded: stands in for compiling and timing.
// Immutable; thread-safe.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <warptune/tuner/search_space.hpp>

namespace warptune::tuner {

// One recorded config.
struct RecordedRow {
  std::vector<std::string> values;  // in the order of RecordedTable::names
  std::optional<double> time_ms;    // > 0; nothing: it failed
  std::optional<double> std_ms;     // sample standard deviation of the runs behind `time_ms`
};

// A recording as its file has it.
struct RecordedTable {
  std::vector<std::string> names;
  std::vector<RecordedRow> rows;
};

// Orders of values by parameter name, where a file beside the recording gives them.
using ValueOrders = std::map<std::string, std::vector<std::string>>;

class RecordedSpace final : public SearchSpace {
 public:
  struct Result {
    Point point;
    std::optional<double> time_ms, std_ms;
  };

  // Values stand in the order of `orders` where it lists all of them, else numbers ascending and words as they
  // first appear; parameters of one value are left out. Errors: bad_input: no row, none with a time, a config
  // twice.
  RecordedSpace(std::string name, const RecordedTable& table, const ValueOrders& orders);

  const std::string& name() const { return name_; }
  // One a recorded config, in the file's order.
  const std::vector<Result>& results() const { return results_; }
  // Precondition: contains(point).
  const Result& at(const Point& point) const { return results_[index_.at(point)]; }
  double optimum_ms() const { return optimum_ms_; }

  bool contains(const Point& point) const override { return index_.contains(point); }
  std::optional<Point> sample(std::mt19937_64& random) const override;
  void for_each(const std::function<bool(const Point&)>& visit) const override;
  std::int64_t listing_cost() const override { return static_cast<std::int64_t>(results_.size()); }

 private:
  std::string name_;
  std::vector<Result> results_;
  std::unordered_map<Point, std::size_t, PointHash> index_;
  double optimum_ms_ = 0;
};

}  // namespace warptune::tuner
