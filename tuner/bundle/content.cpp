#include "tuner/bundle/content.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <warptune/base/error.hpp>

#include "tuner/bundle/cover.hpp"

namespace warptune::tuner {
namespace {

// Templates by kernel name; null: not found here.
std::map<std::string, spec::TemplatePtr> find_templates(const db::Store& store,
                                                        const std::vector<std::string>& kernels) {
  std::map<std::string, spec::TemplatePtr> templates;
  for (const std::string& name : kernels) {
    const spec::TemplatePtr spec = spec::find_template(name);
    templates.emplace(spec->name, spec);
  }
  if (!kernels.empty()) return templates;
  for (const db::ProblemKey& problem : store.problems()) {
    if (templates.contains(problem.kernel)) continue;
    spec::TemplatePtr& spec = templates[problem.kernel];
    try {
      spec = spec::find_template(problem.kernel);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::not_found) throw;
    }
  }
  return templates;
}

// Dims do not tell groups apart.
db::ProblemKey group_key(const db::StoredWinner& winner) {
  db::ProblemKey key = winner.problem;
  key.key_dims.clear();
  key.free_dims.clear();
  return key;
}

// A config at one problem, as the run of that problem's winner has it.
struct Measured {
  double time_ns = 0;
  int alignment_bytes = 1;
  bool ragged = false;
};

// Of what ran right; a config that was measured again counts as it was last.
std::map<db::NamedValues, Measured> measured_with(const db::Store& store, const db::StoredWinner& winner) {
  std::map<db::NamedValues, Measured> measured;
  if (const auto run = store.run(winner.run)) {
    for (const db::OutcomeRecord& outcome : run->outcomes) {
      if (outcome.status == "ok" && outcome.time_ns)
        measured[outcome.config] = {*outcome.time_ns, outcome.alignment_bytes, outcome.verified_ragged};
    }
  }
  measured.try_emplace(winner.winner.config, Measured{winner.winner.time_ns, winner.winner.alignment_bytes,
                                                      winner.winner.verified_ragged});
  return measured;
}

GroupCover cover_of(const db::Store& store, const std::vector<db::StoredWinner>& winners) {
  std::map<std::int64_t, std::map<db::NamedValues, Measured>> by_run;
  std::map<db::NamedValues, bool> ragged;  // wherever it ran
  for (const db::StoredWinner& winner : winners) {
    const auto [entry, fresh] = by_run.try_emplace(winner.run);
    if (fresh) entry->second = measured_with(store, winner);
    for (const auto& [config, measured] : entry->second) {
      const auto known = ragged.try_emplace(config, true).first;
      known->second = known->second && measured.ragged;
    }
  }
  std::vector<db::NamedValues> configs;
  for (const auto& [config, everywhere] : ragged)
    if (everywhere) configs.push_back(config);

  std::vector<std::vector<double>> loss(configs.size(), std::vector<double>(winners.size(), unknown_loss));
  for (std::size_t target = 0; target < winners.size(); ++target) {
    const db::StoredWinner& winner = winners[target];
    const auto& measured = by_run.at(winner.run);
    const double best_ns = measured.at(winner.winner.config).time_ns;
    for (std::size_t i = 0; i < configs.size(); ++i) {
      const auto found = measured.find(configs[i]);
      if (found == measured.end() || found->second.alignment_bytes > winner.winner.alignment_bytes) continue;
      loss[i][target] = std::max(0.0, found->second.time_ns / best_ns - 1);
    }
  }
  const Cover found = find_cover(loss, cover_bound);

  GroupCover cover;
  cover.worst_loss = found.worst_loss;
  cover.smallest = found.smallest;
  for (const std::size_t member : found.members) cover.configs.push_back(configs[member]);
  for (std::size_t target = 0; target < winners.size(); ++target) {
    const auto member = configs.empty() ? std::nullopt : found.serving[target];
    if (!member) {
      ++cover.unserved;
      continue;
    }
    cover.rows.push_back({winners[target].problem, winners[target].winner.alignment_bytes, configs[*member],
                          loss[*member][target]});
  }
  return cover;
}

}  // namespace

BundleContent choose_content(const db::Store& store, const std::vector<std::string>& kernels) {
  const std::map<std::string, spec::TemplatePtr> templates = find_templates(store, kernels);
  BundleContent content;
  std::map<db::ProblemKey, BundleGroup> groups;
  std::map<std::string, std::int64_t> unmeasured, unknown, stale;  // by kernel
  for (db::StoredWinner& winner : store.winners()) {
    const std::string& kernel = winner.problem.kernel;
    const auto found = templates.find(kernel);
    if (found == templates.end()) continue;  // not among those that were named
    if (winner.origin != db::Origin::measured) {
      ++unmeasured[kernel];
    } else if (found->second == nullptr) {
      ++unknown[kernel];
    } else if (found->second->hash != winner.problem.template_hash) {
      ++stale[kernel];
    } else {
      BundleGroup& group = groups[group_key(winner)];
      group.spec = found->second;
      group.winners.push_back(std::move(winner));
    }
  }
  const auto note = [&](const std::map<std::string, std::int64_t>& counts, const char* why) {
    for (const auto& [kernel, count] : counts)
      content.left_out.push_back(fmt::format("{} winners of {} are left out: {}.", count, kernel, why));
  };
  note(unmeasured, "they were replayed or imported, not measured");
  note(unknown, "its template is not found; name its manifest with --kernel");
  note(stale, "the template changed since; tune them again");

  std::set<std::string> named;
  for (auto& [key, group] : groups) {
    if (named.insert(group.spec->name).second) content.templates.push_back(group.spec);
    group.cover = cover_of(store, group.winners);
    content.groups.push_back(std::move(group));
  }
  if (content.groups.empty()) {
    throw Error(ErrorKind::not_found,
                content.left_out.empty()
                    ? "no winners to bundle"
                    : "no winners to bundle: " +
                          content.left_out.front().substr(0, content.left_out.front().size() - 1),
                "tune first: warptune tune");
  }
  return content;
}

}  // namespace warptune::tuner
