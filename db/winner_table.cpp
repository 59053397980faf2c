#include <warptune/db/winner_table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune::db {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

std::optional<double> present(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace

// Over the values alone: configs of one kernel have the same names.
std::size_t WinnerTable::ConfigHash::operator()(const NamedValues& config) const noexcept {
  std::size_t hash = config.size();
  for (const auto& [name, value] : config)
    hash = hash * 0x9E3779B97F4A7C15U + std::hash<NamedValue>()(value) + (hash >> 32);
  return hash;
}

bool WinnerTable::is_of(const StoredWinner& stored, const Shared& shared) {
  const ProblemKey &a = stored.problem, &b = shared.problem;
  return std::equal(a.free_dims.begin(), a.free_dims.end(), b.free_dims.begin(), b.free_dims.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; }) &&
         a.kernel == b.kernel && a.template_hash == b.template_hash && a.types == b.types &&
         a.key_dims == b.key_dims && a.attributes == b.attributes && a.numerics == b.numerics &&
         a.policy == b.policy && a.device == b.device && stored.origin == shared.origin &&
         stored.strategy == shared.strategy && stored.toolchain == shared.toolchain &&
         stored.winner.certified_by == shared.certified_by;
}

WinnerTable::Index WinnerTable::shared_index(const StoredWinner& stored) {
  // Most winners share with the one before; then nothing is copied.
  if (!rows_.empty() && is_of(stored, shared_[rows_.back().shared])) return rows_.back().shared;
  Shared shared{stored.problem, stored.toolchain, stored.origin, stored.strategy, stored.winner.certified_by};
  for (auto& [name, value] : shared.problem.free_dims) value = 0;
  const auto [found, fresh] = shared_index_.try_emplace(shared, static_cast<Index>(shared_.size()));
  if (fresh) shared_.push_back(std::move(shared));
  return found->second;
}

WinnerTable::Index WinnerTable::add_config(const NamedValues& config) {
  const auto [found, fresh] = config_index_.try_emplace(config, static_cast<Index>(configs_.size()));
  if (fresh) configs_.push_back(config);
  return found->second;
}

void WinnerTable::add(const StoredWinner& stored) {
  add(stored, add_config(stored.winner.config), add_config(stored.winner.default_config));
}

void WinnerTable::add(const StoredWinner& stored, Index config, Index default_config) {
  const Index shared = shared_index(stored);
  const auto first_dim = static_cast<Index>(dims_.size());
  for (const auto& [name, value] : stored.problem.free_dims) dims_.push_back(value);
  const WinnerRecord& winner = stored.winner;
  rows_.push_back({winner.time_ns, winner.default_time_ns.value_or(absent),
                   winner.interval_low_ns.value_or(absent), winner.interval_high_ns.value_or(absent),
                   winner.bytes.value_or(absent), winner.flops.value_or(absent),
                   winner.limit_bytes_per_s.value_or(absent), stored.run, stored.at_unix_s, winner.samples,
                   winner.tied, shared, config, default_config, first_dim, winner.alignment_bytes,
                   winner.certified, winner.complete, winner.verified_ragged});
}

void WinnerTable::finish() {
  shared_index_.clear();
  config_index_.clear();
  rows_.shrink_to_fit();
  shared_.shrink_to_fit();
  configs_.shrink_to_fit();
  dims_.shrink_to_fit();
}

void WinnerTable::visit(const std::string& kernel,
                        const std::function<void(const StoredWinner&)>& visit) const {
  StoredWinner stored;
  for (const Row& row : rows_) {
    const Shared& shared = shared_[row.shared];
    if (shared.problem.kernel != kernel) continue;
    stored.problem = shared.problem;
    std::size_t dim = row.dims;
    for (auto& [name, value] : stored.problem.free_dims) value = dims_[dim++];
    stored.toolchain = shared.toolchain;
    stored.origin = shared.origin;
    stored.strategy = shared.strategy;
    stored.run = row.run;
    stored.at_unix_s = row.at_unix_s;
    WinnerRecord& winner = stored.winner;
    winner.alignment_bytes = row.alignment_bytes;
    winner.config = configs_[row.config];
    winner.time_ns = row.time_ns;
    winner.default_time_ns = present(row.default_time_ns);
    winner.default_config = configs_[row.default_config];
    winner.certified = row.certified;
    winner.certified_by = shared.certified_by;
    winner.interval_low_ns = present(row.interval_low_ns);
    winner.interval_high_ns = present(row.interval_high_ns);
    winner.samples = row.samples;
    winner.tied = row.tied;
    winner.verified_ragged = row.verified_ragged;
    winner.complete = row.complete;
    winner.bytes = present(row.bytes);
    winner.flops = present(row.flops);
    winner.limit_bytes_per_s = present(row.limit_bytes_per_s);
    visit(stored);
  }
}

}  // namespace warptune::db
