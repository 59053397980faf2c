// What goes into a bundle: current winners by group, their templates, and each group's cover. One thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <warptune/db/bundle.hpp>
#include <warptune/spec/catalog.hpp>

namespace warptune::tuner {

// The most that a config of the cover may lose against a tuned problem's own winner.
inline constexpr double cover_bound = 0.02;

// Few configs for problems between the tuned ones. Only configs that were right at ragged dims wherever they ran may be in it,
// and a loss is known only where config and winner were measured in one run.
struct GroupCover {
  std::vector<db::NamedValues> configs;
  std::vector<db::CoverRow> rows;  // per problem and alignment class that it serves
  double worst_loss = 0;           // over `rows`
  std::size_t unserved =
      0;                 // problems and classes of which no such config is known to lose at most the bound
  bool smallest = true;  // no smaller set does
};

// What one config may serve: a kernel with types, attributes, numerics, device and policy.
struct BundleGroup {
  spec::TemplatePtr spec;
  std::vector<db::StoredWinner> winners;  // never empty; all of one group
  GroupCover cover;
  const db::ProblemKey& key() const { return winners.front().problem; }  // its dims do not matter
};

struct BundleContent {
  std::vector<spec::TemplatePtr> templates;  // by kernel name
  std::vector<BundleGroup> groups;
  std::vector<std::string> left_out;  // sentences
};

// `kernels`: names, or paths of manifests; empty: every kernel of the store, by its name. Left out: what was not measured on a
// device, winners whose template changed since or is not found. Errors: not_found (a kernel that was named, or nothing is left),
// bad_input (a manifest).
BundleContent choose_content(const db::Store& store, const std::vector<std::string>& kernels);

}  // namespace warptune::tuner
