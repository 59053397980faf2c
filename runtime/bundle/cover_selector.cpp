#include <warptune/runtime/cover_selector.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include <warptune/runtime/problem_key.hpp>

#include "runtime/dispatch/log_distance.hpp"
#include "runtime/dispatch/named_text.hpp"

namespace warptune::runtime {
CoverSelector::CoverSelector(const spec::Instance& instance, const std::vector<std::string>& policies,
                             const std::vector<db::CoverRow>& rows) {
  const db::ProblemKey mine = problem_key(instance, {});
  for (const db::CoverRow& row : rows) {
    const db::ProblemKey& theirs = row.problem;
    const auto policy = std::find(policies.begin(), policies.end(), theirs.policy);
    if (policy == policies.end() || theirs.template_hash != mine.template_hash ||
        theirs.types != mine.types || theirs.attributes != mine.attributes ||
        theirs.numerics != mine.numerics || theirs.device != mine.device)
      continue;
    try {
      rows_.push_back({row, read_config(instance.spec(), row.config),
                       static_cast<std::size_t>(policy - policies.begin())});
    } catch (const Error&) {  // a config that this template does not have
    }
  }
}

void CoverSelector::add_to(Ranking& ranking, const spec::Instance& here, std::int64_t alignment_bytes) const {
  const db::ProblemKey asked = problem_key(here, {});
  std::vector<const Row*> serving;
  for (const Row& row : rows_) {
    const db::ProblemKey& tuned = row.stored.problem;
    if (tuned.key_dims == asked.key_dims && row.stored.alignment_bytes <= alignment_bytes)
      serving.push_back(&row);
  }
  for (const auto& [name, value] : asked.free_dims) {
    const auto below = [&, &dim = name](const Row* row) {
      const auto found = row->stored.problem.free_dims.find(dim);
      return found != row->stored.problem.free_dims.end() && found->second <= value;
    };
    const auto above = [&, &dim = name](const Row* row) {
      const auto found = row->stored.problem.free_dims.find(dim);
      return found != row->stored.problem.free_dims.end() && found->second >= value;
    };
    if (std::none_of(serving.begin(), serving.end(), below) ||
        std::none_of(serving.begin(), serving.end(), above))
      return;
  }

  struct Placed {
    const Row* row;
    double distance;
  };
  std::vector<Placed> placed;
  for (const Row* row : serving)
    placed.push_back({row, log2_distance(asked.free_dims, row->stored.problem.free_dims)});
  const auto order = [](const Placed& x) {
    return std::make_tuple(x.distance, x.row->policy, -x.row->stored.alignment_bytes);
  };
  std::stable_sort(placed.begin(), placed.end(),
                   [&](const Placed& x, const Placed& y) { return order(x) < order(y); });

  for (const auto& [row, distance] : placed) {
    const bool known =
        std::any_of(ranking.candidates.begin(), ranking.candidates.end(),
                    [&, &config = row->config](const Candidate& other) { return other.config == config; });
    if (known || here.excluded(row->config)) continue;
    const std::int64_t needed = std::max<std::int64_t>(here.alignment_class(row->config), 1);
    if (needed > alignment_bytes) continue;
    Selection selection;
    selection.match = Match::nearest;
    selection.config = spec::to_text(here.spec(), row->config);
    selection.tuned_dims = all_dims(row->stored.problem);
    selection.log2_distance = distance;
    selection.alignment_bytes = static_cast<int>(needed);
    selection.reason = fmt::format(
        "between tuned problems: the bundle's cover serves {}, {:.2f} octaves away, {:.1f} % "
        "behind its winner ({})",
        named_text(selection.tuned_dims), distance, 100 * row->stored.loss, row->stored.problem.policy);
    ranking.candidates.insert(ranking.candidates.end() - 1, {row->config, std::move(selection)});
  }
}

}  // namespace warptune::runtime
