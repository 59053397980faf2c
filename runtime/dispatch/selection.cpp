#include <warptune/runtime/selection.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <warptune/runtime/problem_key.hpp>

#include "runtime/dispatch/log_distance.hpp"
#include "runtime/dispatch/named_text.hpp"
#include "runtime/dispatch/neighbour_rule.hpp"

namespace warptune::runtime {
namespace {

using Dims = std::map<std::string, std::int64_t>;

std::string config_text(const db::NamedValues& config) {
  std::string text;
  for (const auto& [name, value] : config) {
    text += text.empty() ? name : " " + name;
    std::visit([&text](const auto& held) { text += fmt::format("={}", held); }, value);
  }
  return text;
}

std::string record_text(const db::StoredWinner& row) {
  return fmt::format("{} align {}: {}", named_text(all_dims(row.problem)), row.winner.alignment_bytes,
                     config_text(row.winner.config));
}

template <typename Map>
bool same_names(const Map& a, const Map& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

// What of the toolchain is known on both sides and differs: "driver 12.8 then, 13.0 now; ...".
std::string differences(const db::Toolchain& then, const db::Toolchain& now) {
  std::string text;
  const auto compare = [&](const char* what, const std::string& a, const std::string& b) {
    if (a == b || a.empty() || b.empty()) return;
    text += fmt::format("{}{} {} then, {} now", text.empty() ? "" : "; ", what, a, b);
  };
  const auto cuda = [](int number) {
    return number == 0 ? std::string() : fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  };
  compare("CUDA of the driver", cuda(then.driver_version), cuda(now.driver_version));
  compare("driver", then.driver_name, now.driver_name);
  compare("NVRTC", then.nvrtc_version, now.nvrtc_version);
  compare("toolkit headers", then.headers_hash.substr(0, 8), now.headers_hash.substr(0, 8));
  return text;
}

// Why a row can serve no dims of an instance; nothing: it may. `mine`: the instance's key, its dims do not
// matter.
std::optional<std::string> why_foreign(const db::ProblemKey& theirs, db::Origin origin,
                                       const db::ProblemKey& mine) {
  if (origin == db::Origin::replayed) return "replayed from a recording, not measured on this device";
  if (origin == db::Origin::imported) return "imported from another tuner, not verified on this device";
  if (theirs.template_hash != mine.template_hash) return "stale: the template changed since it was tuned";
  if (theirs.device != mine.device) {
    return fmt::format("tuned on another device: {} (sm_{}, {} SMs, {} bytes of L2, {} GiB)",
                       theirs.device.model, theirs.device.compute_capability, theirs.device.sm_count,
                       theirs.device.l2_bytes, theirs.device.memory_gib);
  }
  if (theirs.types != mine.types) return "tuned for other types: " + named_text(theirs.types);
  if (theirs.attributes != mine.attributes)
    return "tuned for other attributes: " + named_text(theirs.attributes);
  if (theirs.numerics != mine.numerics) return "tuned for another numerics class: " + theirs.numerics;
  if (!same_names(theirs.key_dims, mine.key_dims) || !same_names(theirs.free_dims, mine.free_dims)) {
    return "stale: the template's dims changed since it was tuned";
  }
  return std::nullopt;
}

}  // namespace

const char* to_string(Match match) noexcept {
  switch (match) {
    case Match::tuned:
      return "tuned";
    case Match::nearest:
      return "nearest";
    case Match::default_config:
      break;
  }
  return "default";
}

Selector::Selector(spec::Instance instance, SelectionRules rules, const std::vector<db::StoredWinner>& rows,
                   NeighboursOf neighbours)
    : instance_(std::move(instance)), rules_(std::move(rules)), neighbours_(std::move(neighbours)) {
  admit_all(rows);
}

Selector Selector::with(const std::vector<db::StoredWinner>& rows) const {
  Selector more = *this;
  more.admit_all(rows);
  return more;
}

void Selector::admit_all(const std::vector<db::StoredWinner>& rows) {
  for (const db::StoredWinner& stored : rows) {
    if (stored.problem.kernel == instance_.spec().name) admit(stored);
  }
}

void Selector::admit(const db::StoredWinner& stored) {
  const auto refuse = [&](std::string reason) {
    refused_.push_back({record_text(stored), std::move(reason)});
  };
  if (auto reason = why_foreign(stored.problem, stored.origin, problem_key(instance_, {})))
    return refuse(std::move(*reason));
  const auto policy = std::find(rules_.policies.begin(), rules_.policies.end(), stored.problem.policy);
  if (policy == rules_.policies.end())
    return refuse("measured under a policy not asked for: " + stored.problem.policy);
  try {
    spec::Config config = read_config(instance_.spec(), stored.winner.config);
    const Dims dims = all_dims(stored.problem);
    const spec::Instance there = instance_.with_dims({dims.begin(), dims.end()});
    if (auto excluded = there.excluded(config)) {
      throw Error(ErrorKind::bad_input, fmt::format("{} ({})", excluded->why, excluded->constraint));
    }
    largest_alignment_bytes_ =
        std::max({largest_alignment_bytes_, std::int64_t{stored.winner.alignment_bytes},
                  there.alignment_class(config)});
    rows_.push_back({stored, std::move(config), static_cast<std::size_t>(policy - rules_.policies.begin())});
  } catch (const Error& error) {
    faults_.push_back(fmt::format("{}: {}", record_text(stored), error.what()));
    refuse(fmt::format("cannot run here: {}", error.what()));
  }
}

Selection Selector::selection_of(const spec::Instance& here, const Row& row, const spec::Config& config,
                                 const Reach& reach, const db::Toolchain& present) const {
  Selection selection;
  selection.match = reach.exact ? Match::tuned : Match::nearest;
  selection.config = spec::to_text(here.spec(), config);
  selection.tuned_dims = all_dims(row.stored.problem);
  selection.log2_distance = reach.distance;
  selection.alignment_bytes = static_cast<int>(std::max<std::int64_t>(here.alignment_class(config), 1));
  if (reach.exact) {
    selection.expected_ns = row.stored.winner.time_ns;
    selection.expected_loss = 0;
  }
  selection.staleness = differences(row.stored.toolchain, present);
  selection.other_toolchain = !selection.staleness.empty();
  selection.reason =
      reach.exact ? fmt::format("tuned for these dims ({})", row.stored.problem.policy)
                  : fmt::format("nearest tuned problem, {}, is {:.2f} octaves away ({})",
                                named_text(selection.tuned_dims), reach.distance, row.stored.problem.policy);
  if (selection.other_toolchain)
    selection.reason += fmt::format("; tuned with another driver or NVRTC ({})", selection.staleness);
  return selection;
}

std::vector<Selector::Related> Selector::related(const spec::Instance& here, std::int64_t alignment_bytes,
                                                 std::vector<PassedOver>& passed_over) const {
  const db::ProblemKey asked = problem_key(here, {});
  // Why a row says nothing about these dims and pointers; nothing: it does, and `reach` says how.
  const auto why_unrelated = [&](const Row& row, Reach& reach) -> std::optional<std::string> {
    const db::ProblemKey& tuned = row.stored.problem;
    if (tuned.key_dims != asked.key_dims) return "key dims differ: " + named_text(tuned.key_dims);
    reach.exact = tuned.free_dims == asked.free_dims;
    if (!reach.exact) {
      if (!rules_.nearest) return "tuned for other dims, and only equal ones are to be served";
      for (const auto& [name, value] : asked.free_dims) {
        const double apart = octaves(value, tuned.free_dims.at(name));
        if (apart > rules_.nearest_bound_log2) {
          return fmt::format("too far: {} is {:.2f} octaves away, the bound is {:.2f}", name, apart,
                             rules_.nearest_bound_log2);
        }
      }
      reach.distance = log2_distance(asked.free_dims, tuned.free_dims);
      reach.unlikeness = unlikeness(asked.free_dims, tuned.free_dims);
    }
    const std::int64_t needed = std::max<std::int64_t>(here.alignment_class(row.config), 1);
    if (row.stored.winner.alignment_bytes > alignment_bytes || needed > alignment_bytes) {
      return fmt::format("needs pointers aligned to {} bytes, these are to {}",
                         std::max<std::int64_t>(needed, row.stored.winner.alignment_bytes), alignment_bytes);
    }
    return std::nullopt;
  };
  // Why its config may not run here.
  const auto why_not = [&](const Row& row, const Reach& reach) -> std::optional<std::string> {
    if (!reach.exact && !row.stored.winner.verified_ragged) return "verified at its own dims only";
    if (auto excluded = here.excluded(row.config))
      return fmt::format("not valid here: {} ({})", excluded->why, excluded->constraint);
    return std::nullopt;
  };

  std::vector<Related> rows;
  for (const Row& row : rows_) {
    Reach reach;
    std::optional<std::string> reason = why_unrelated(row, reach);
    const bool is_related = !reason;
    if (is_related) reason = why_not(row, reach);
    // Where its own config may not run, what its run timed nearby may still tell which ones do well.
    if (is_related && (!reason || !reach.exact)) rows.push_back({&row, reach, !reason});
    if (reason) passed_over.push_back({record_text(row.stored), std::move(*reason)});
  }
  const auto order = [](const Related& x) {
    return std::make_tuple(!x.reach.exact, x.reach.distance, x.row->policy,
                           -x.row->stored.winner.alignment_bytes);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const Related& x, const Related& y) { return order(x) < order(y); });
  return rows;
}

Ranking Selector::rank(const std::map<std::string, std::int64_t, std::less<>>& dims,
                       std::int64_t alignment_bytes, const db::Toolchain& present) const {
  const spec::Instance here = instance_.with_dims(dims);
  Ranking ranking;
  const spec::Config& fallback = here.spec().default_config;
  std::optional<double> loss_of_default;
  std::map<std::int64_t, std::optional<TimedNearby>> nearby_of;  // by run: all its records are of one problem
  constexpr double nowhere = std::numeric_limits<double>::infinity();
  double default_known_at = nowhere;  // unlikeness of where it was the fastest
  for (const auto& [row, reach, may_run] : related(here, alignment_bytes, ranking.passed_over)) {
    const auto [of_run, is_new] = nearby_of.try_emplace(row->stored.run);
    std::optional<TimedNearby>& nearby = of_run->second;
    if (is_new && !reach.exact && neighbours_)
      nearby = timed_nearby(neighbours_(row->stored.run), here, alignment_bytes);
    const double known_at =
        std::min(may_run ? reach.unlikeness : nowhere, nearby ? nearby->unlikeness : nowhere);
    if (known_at >= default_known_at) continue;  // what is less like these dims knows less
    const auto add = [&](const spec::Config& config, const std::string& why) {
      const bool known = std::any_of(ranking.candidates.begin(), ranking.candidates.end(),
                                     [&](const Candidate& each) { return each.config == config; });
      if (known) return;
      Selection selection = selection_of(here, *row, config, reach, present);
      if (nearby) selection.expected_loss = nearby->loss(config);
      selection.reason += why;
      ranking.candidates.push_back({config, std::move(selection)});
    };
    // At its own dims the record's config was the fastest: where they are more like these, it stays.
    const bool beaten = nearby && may_run && nearby->unlikeness < reach.unlikeness &&
                        nearby->loss(row->config).value_or(0) > worth_changing;
    const bool overruled = beaten || (nearby && !may_run);
    if (overruled) {
      const spec::Config& fastest = nearby->configs.front().config;
      const std::string where = named_text(nearby->dims);
      const std::string better =
          may_run ? fmt::format("{:.1f} % faster than the record's at {}", 100 * *nearby->loss(row->config),
                                where)
                  : fmt::format("the fastest at {} that may run here, as the record's may not", where);
      if (fastest == fallback) {
        ranking.passed_over.push_back({record_text(row->stored), "the default was " + better});
        loss_of_default = 0;
        default_known_at = nearby->unlikeness;
        continue;
      }
      add(fastest, "; this config was " + better);
    }
    if (may_run) add(row->config, "");
  }

  Selection selection;
  selection.expected_loss = loss_of_default;
  selection.config = spec::to_text(here.spec(), fallback);
  selection.alignment_bytes = static_cast<int>(std::max<std::int64_t>(here.alignment_class(fallback), 1));
  // Of the reasons against records, one about these very types and this device tells most.
  if (!ranking.candidates.empty()) {
    selection.reason = "the manifest's default, where nothing before it can run";
  } else if (!ranking.passed_over.empty()) {
    const PassedOver& passed = ranking.passed_over.front();
    selection.reason = fmt::format("no tuned record serves these dims; {}: {}", passed.record, passed.reason);
  } else if (!refused_.empty()) {
    selection.reason = fmt::format("no tuned record for this kernel here; {}: {}", refused_.front().record,
                                   refused_.front().reason);
  } else {
    selection.reason = "nothing was tuned for this kernel";
  }
  ranking.candidates.push_back({fallback, std::move(selection)});
  ranking.passed_over.insert(ranking.passed_over.end(), refused_.begin(), refused_.end());
  return ranking;
}

}  // namespace warptune::runtime
