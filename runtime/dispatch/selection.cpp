#include <warptune/runtime/selection.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <warptune/runtime/problem_key.hpp>

#include "runtime/dispatch/log_distance.hpp"

namespace warptune::runtime {
namespace {

using Dims = std::map<std::string, std::int64_t>;

template <typename Map>
std::string named_text(const Map& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string config_text(const db::NamedValues& config) {
  std::string text;
  for (const auto& [name, value] : config) {
    text += text.empty() ? name : " " + name;
    std::visit([&text](const auto& held) { text += fmt::format("={}", held); }, value);
  }
  return text;
}

Dims all_dims(const db::ProblemKey& problem) {
  Dims dims = problem.free_dims;
  dims.insert(problem.key_dims.begin(), problem.key_dims.end());
  return dims;
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

bool differs(const db::Toolchain& then, const db::Toolchain& now) {
  const auto unequal = [](const auto& a, const auto& b) {
    return a != b && a != decltype(a){} && b != decltype(b){};
  };
  return (then.driver_version != now.driver_version && then.driver_version != 0 && now.driver_version != 0) ||
         unequal(then.driver_name, now.driver_name) || unequal(then.nvrtc_version, now.nvrtc_version) ||
         unequal(then.headers_hash, now.headers_hash);
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

// What a Row comes to at certain dims.
struct Reach {
  bool exact = false;
  double distance = 0;
};

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

Selector::Selector(spec::Instance instance, SelectionRules rules, const std::vector<db::StoredWinner>& rows)
    : instance_(std::move(instance)), rules_(std::move(rules)) {
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

Ranking Selector::rank(const std::map<std::string, std::int64_t, std::less<>>& dims,
                       std::int64_t alignment_bytes, const db::Toolchain& present) const {
  const spec::Instance here = instance_.with_dims(dims);
  const db::ProblemKey asked = problem_key(here, {});

  // Why a row does not serve here; nothing: it does, and `reach` says how.
  const auto why_not = [&](const Row& row, Reach& reach) -> std::optional<std::string> {
    const db::ProblemKey& tuned = row.stored.problem;
    if (tuned.key_dims != asked.key_dims) return "key dims differ: " + named_text(tuned.key_dims);
    reach.exact = tuned.free_dims == asked.free_dims;
    if (!reach.exact) {
      for (const auto& [name, value] : asked.free_dims) {
        const double apart = octaves(value, tuned.free_dims.at(name));
        if (apart > rules_.nearest_bound_log2) {
          return fmt::format("too far: {} is {:.2f} octaves away, the bound is {:.2f}", name, apart,
                             rules_.nearest_bound_log2);
        }
      }
      reach.distance = log2_distance(asked.free_dims, tuned.free_dims);
      if (!row.stored.winner.verified_ragged) return "verified at its own dims only";
    }
    const std::int64_t needed = std::max<std::int64_t>(here.alignment_class(row.config), 1);
    if (row.stored.winner.alignment_bytes > alignment_bytes || needed > alignment_bytes) {
      return fmt::format("needs pointers aligned to {} bytes, these are to {}",
                         std::max<std::int64_t>(needed, row.stored.winner.alignment_bytes), alignment_bytes);
    }
    if (auto excluded = here.excluded(row.config))
      return fmt::format("not valid here: {} ({})", excluded->why, excluded->constraint);
    return std::nullopt;
  };

  struct Usable {
    const Row* row;
    Reach reach;
  };
  std::vector<Usable> usable;
  Ranking ranking;
  for (const Row& row : rows_) {
    Reach reach;
    if (auto reason = why_not(row, reach)) {
      ranking.passed_over.push_back({record_text(row.stored), std::move(*reason)});
    } else {
      usable.push_back({&row, reach});
    }
  }
  const auto order = [](const Usable& x) {
    return std::make_tuple(!x.reach.exact, x.reach.distance, x.row->policy,
                           -x.row->stored.winner.alignment_bytes);
  };
  std::stable_sort(usable.begin(), usable.end(),
                   [&](const Usable& x, const Usable& y) { return order(x) < order(y); });

  for (const auto& [row, reach] : usable) {
    Selection selection;
    selection.match = reach.exact ? Match::tuned : Match::nearest;
    selection.config = spec::to_text(here.spec(), row->config);
    selection.tuned_dims = all_dims(row->stored.problem);
    selection.log2_distance = reach.distance;
    selection.alignment_bytes =
        static_cast<int>(std::max<std::int64_t>(here.alignment_class(row->config), 1));
    if (reach.exact) selection.expected_ns = row->stored.winner.time_ns;
    selection.other_toolchain = differs(row->stored.toolchain, present);
    selection.reason = reach.exact ? fmt::format("tuned for these dims ({})", row->stored.problem.policy)
                                   : fmt::format("nearest tuned problem, {}, is {:.2f} octaves away ({})",
                                                 named_text(selection.tuned_dims), reach.distance,
                                                 row->stored.problem.policy);
    if (selection.other_toolchain) selection.reason += "; tuned with another driver or NVRTC";
    ranking.candidates.push_back({row->config, std::move(selection)});
  }

  const spec::Config& fallback = here.spec().default_config;
  Selection selection;
  selection.config = spec::to_text(here.spec(), fallback);
  selection.alignment_bytes = static_cast<int>(std::max<std::int64_t>(here.alignment_class(fallback), 1));
  // Of the reasons against records, one about these very types and this device tells most.
  if (!ranking.passed_over.empty()) {
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
