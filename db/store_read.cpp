// The reading half of Store.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "db/migrations/migrations.hpp"
#include "db/rows.hpp"
#include "db/sqlite/open.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {

using sqlite::Cursor;
using sqlite::Statement;

Store Store::open(const std::filesystem::path& file, OpenMode mode) {
  auto impl = std::make_unique<Impl>();
  impl->path = file;
  impl->writable = mode != OpenMode::read_only;
  impl->connection =
      impl->writable ? sqlite::open_writable(file, mode == OpenMode::create) : sqlite::open_readable(file);
  const Identity identity = identify(*impl->connection);
  impl->schema_version = identity.schema_version;
  impl->is_bundle = identity.is_bundle;
  return Store(std::move(impl));
}

Store Store::open_memory(std::span<const std::byte> image, const std::filesystem::path& name) {
  auto impl = std::make_unique<Impl>();
  impl->path = name;
  impl->connection = std::make_unique<sqlite::Connection>(image, name);
  const Identity identity = identify(*impl->connection);
  require_usable(identity, name);
  if (identity.kind == FileKind::empty) throw sqlite::damaged(name, "nothing is in it");
  impl->schema_version = identity.schema_version;
  impl->is_bundle = identity.is_bundle;
  return Store(std::move(impl));
}

bool Store::is_bundle() const { return impl_->is_bundle; }

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::filesystem::path& Store::path() const { return impl_->path; }

int Store::schema_version() const { return impl_->schema_version; }

const std::vector<RowFault>& Store::faults() const { return impl_->faults; }

std::vector<StoredOutcome> Store::outcomes(const ProblemKey& problem) const {
  const auto problem_row = find_problem(*impl_->connection, problem);
  if (!problem_row) return {};
  Statement statement(
      *impl_->connection,
      fmt::format("SELECT o.id, o.run, r.origin, {}, {} FROM run r JOIN outcome o ON o.run = r.id "
                  "LEFT JOIN toolchain c ON c.id = r.toolchain WHERE r.problem = ? "
                  "ORDER BY r.origin = 'measured' DESC, o.at_unix_ms DESC, o.id DESC",
                  outcome_columns, toolchain_columns));
  constexpr int outcome_at = 3, toolchain_at = outcome_at + outcome_width;
  Cursor row(statement);
  statement.bind(*problem_row);
  RowDecoder decoder;
  std::set<NamedValues> seen;
  std::vector<StoredOutcome> result;
  while (row.next()) {
    impl_->readable("outcome", row, [&] {
      StoredOutcome stored;
      read(row, outcome_at, decoder, stored.outcome);
      read(row, toolchain_at, stored.toolchain);
      stored.run = row.integer(1);
      stored.origin = read_origin(row, 2);
      if (seen.insert(stored.outcome.config).second) result.push_back(std::move(stored));
    });
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::map<std::string, std::int64_t> Store::outcome_counts(const ProblemKey& problem) const {
  std::map<std::string, std::int64_t> counts;
  for (const StoredOutcome& stored : outcomes(problem)) ++counts[stored.outcome.status];
  return counts;
}

std::vector<ProblemKey> Store::problems(const std::string& kernel) const {
  Statement statement(
      *impl_->connection,
      fmt::format("SELECT p.id, {}, {} FROM problem p LEFT JOIN device d ON d.id = p.device "
                  "WHERE (? = '' OR p.kernel = ?1) AND EXISTS "
                  "(SELECT 1 FROM run r JOIN outcome o ON o.run = r.id WHERE r.problem = p.id) "
                  "ORDER BY p.id",
                  problem_columns, device_columns));
  Cursor row(statement);
  statement.bind(kernel);
  RowDecoder decoder;
  std::vector<ProblemKey> result;
  while (row.next()) {
    ProblemKey problem;
    if (impl_->readable("problem", row, [&] {
          read(row, 1, decoder, problem);
          read(row, 1 + problem_width, problem.device);
        })) {
      result.push_back(std::move(problem));
    }
  }
  return result;
}

std::optional<RunEnd> Store::last_run_end(const ProblemKey& problem) const {
  const auto problem_row = find_problem(*impl_->connection, problem);
  if (!problem_row) return std::nullopt;
  Statement statement(
      *impl_->connection,
      fmt::format("SELECT id, complete, space_size, wall_s, gpu_s, phase_s, {} FROM run "
                  "WHERE problem = ? AND ended_unix_s IS NOT NULL ORDER BY ended_unix_s DESC, id DESC",
                  impl_->schema_version < 2 ? "NULL" : "clocks"));
  Cursor row(statement);
  statement.bind(*problem_row);
  while (row.next()) {
    RunEnd end;
    if (impl_->readable("run", row, [&] { read(row, 1, end); })) return end;
  }
  return std::nullopt;
}

std::optional<Calibration> Store::calibration(const DeviceKey& device) const {
  const auto device_row = find_device(*impl_->connection, device);
  if (!device_row) return std::nullopt;
  Statement statement(
      *impl_->connection,
      "SELECT id, figures, at_unix_s FROM calibration WHERE device = ? ORDER BY at_unix_s DESC, id DESC");
  Cursor row(statement);
  statement.bind(*device_row);
  while (row.next()) {
    Calibration calibration{device, {}, 0};
    const bool readable = impl_->readable("calibration", row, [&] {
      calibration.figures = from_json<Reals>(row.text(1));
      calibration.at_unix_s = row.integer(2);
    });
    if (readable) return calibration;
  }
  return std::nullopt;
}

std::vector<Calibration> Store::calibrations() const {
  Statement statement(
      *impl_->connection,
      fmt::format("SELECT d.id, {} FROM device d WHERE EXISTS (SELECT 1 FROM calibration WHERE "
                  "device = d.id) ORDER BY d.id",
                  device_columns));
  Cursor row(statement);
  std::vector<Calibration> result;
  while (row.next()) {
    DeviceKey device;
    if (!impl_->readable("device", row, [&] { read(row, 1, device); })) continue;
    if (auto newest = calibration(device)) result.push_back(std::move(*newest));
  }
  return result;
}

std::int64_t Store::outcome_total() const {
  return impl_->connection->query_integer("SELECT count(*) FROM outcome");
}

}  // namespace warptune::db
