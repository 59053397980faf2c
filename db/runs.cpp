// Whole runs: reading them, adding those of other files, removing them.
#include <fmt/format.h>

#include <bit>
#include <set>

#include <warptune/base/hash.hpp>

#include "db/neighbours.hpp"
#include "db/rows.hpp"
#include "db/run_rows.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {
namespace {

using sqlite::Connection;
using sqlite::Cursor;
using sqlite::Statement;
using sqlite::Transaction;

// Reads the children of one run after the other.
class RunReader {
 public:
  RunReader(const Connection& connection, int schema_version)
      : outcomes_(connection, fmt::format("SELECT o.id, {} FROM outcome o WHERE o.run = ? ORDER BY o.id",
                                          outcome_columns)),
        winners_(connection,
                 fmt::format("SELECT w.id, {} FROM winner w WHERE w.run = ? ORDER BY w.alignment_bytes",
                             winner_columns(schema_version))) {}

  // `readable(table, row, read)` as Store::Impl has it.
  template <class Readable>
  void outcomes(StoredRun& run, Readable readable) {
    run.outcomes.clear();
    Cursor row(outcomes_);
    outcomes_.bind(run.id);
    while (row.next()) {
      OutcomeRecord outcome;
      if (readable("outcome", row, [&] { read(row, 1, decoder_, outcome); }))
        run.outcomes.push_back(std::move(outcome));
    }
  }
  template <class Readable>
  void winners(StoredRun& run, Readable readable) {
    run.winners.clear();
    Cursor row(winners_);
    winners_.bind(run.id);
    while (row.next()) {
      WinnerRecord winner;
      const bool whole = readable("winner", row, [&] {
        const WinnerConfigs configs = read(row, 1, decoder_, winner);
        winner.config = *configs.config;
        winner.default_config = *configs.default_config;
      });
      if (whole) run.winners.push_back(std::move(winner));
    }
  }

 private:
  Statement outcomes_, winners_;
  RowDecoder decoder_;
};

// Columns: ended_unix_s, and those of RunEnd, of which a run has only the last before it ends.
void read_end(const Cursor& row, int first, StoredRun& run) {
  constexpr int clocks_at = 6;
  run.ended_unix_s.reset();
  run.end = {};
  run.info.marks.clear();
  if (!row.is_null(first)) {
    run.ended_unix_s = row.integer(first);
    read(row, first + 1, run.end);
  } else if (!row.is_null(first + clocks_at)) {
    run.info.marks = from_json<Reals>(row.text(first + clocks_at));
  }
}

struct KnownRun {
  std::int64_t row = 0, problem = 0;
  bool ended = false;
};

std::optional<KnownRun> find_run(const Connection& connection, const std::string& uid) {
  Statement statement(connection, "SELECT id, problem, ended_unix_s IS NOT NULL FROM run WHERE uid = ?");
  Cursor row(statement);
  statement.bind(uid);
  if (!row.next()) return std::nullopt;
  return KnownRun{row.integer(0), row.integer(1), row.boolean(2)};
}

// Uids of version 1 were made of what told runs apart in one file, so those of two problems may meet.
std::string uid_with_problem(const StoredRun& run) {
  const ProblemKey& key = run.problem;
  return run.info.uid + "-" +
         hash_hex(key.kernel + to_json(key.types) + to_json(key.key_dims) + to_json(key.free_dims) +
                  to_json(key.attributes) + key.numerics + key.policy + key.template_hash + key.device.model);
}

void check_run(const StoredRun& run) {
  if (run.info.uid.empty() || run.problem.kernel.empty())
    throw Error(ErrorKind::usage, "a run without uid or kernel", "read it with visit_runs()");
  check_winners(run.winners);
  check_neighbours(run.neighbours);
  for (const OutcomeRecord& outcome : run.outcomes) {
    if (outcome.status.empty() || outcome.alignment_bytes <= 0 ||
        !std::has_single_bit(static_cast<unsigned>(outcome.alignment_bytes)))
      throw Error(ErrorKind::usage,
                  "an outcome without a status, or with an alignment that is no power of two",
                  "see db/SCHEMA.md for what each column holds");
  }
}

bool has_rows(const Connection& connection, const char* table, std::int64_t run) {
  Statement statement(connection, fmt::format("SELECT 1 FROM {} WHERE run = ?", table));
  Cursor row(statement);
  statement.bind(run);
  return row.next();
}

// What is there of a run that was cut short, to tell what it lacks.
std::set<std::pair<std::string, std::int64_t>> stored_outcomes(const Connection& connection,
                                                               std::int64_t run) {
  std::set<std::pair<std::string, std::int64_t>> stored;
  Statement statement(connection, "SELECT config, at_unix_ms FROM outcome WHERE run = ?");
  Cursor row(statement);
  statement.bind(run);
  while (row.next()) stored.emplace(row.text(0), row.integer(1));
  return stored;
}

}  // namespace

void Store::visit_runs(const std::string& kernel, RunParts parts,
                       const std::function<void(const StoredRun&)>& visit) const {
  scan_runs("?1 = '' OR p.kernel IS NULL OR p.kernel = ?1", kernel, parts, visit);
}

std::optional<StoredRun> Store::run(std::int64_t id, RunParts parts) const {
  std::optional<StoredRun> found;
  scan_runs("r.id = ?1", id, parts, [&](const StoredRun& run) { found = run; });
  return found;
}

template <class Value>
void Store::scan_runs(const char* which, const Value& value, RunParts parts,
                      const std::function<void(const StoredRun&)>& visit) const {
  const int version = impl_->schema_version;
  Statement statement(
      *impl_->connection,
      fmt::format(
          "SELECT r.id, {}, r.origin, r.strategy, r.seed, r.command, r.started_unix_s, r.ended_unix_s, "
          "r.complete, r.space_size, r.wall_s, r.gpu_s, r.phase_s, {}, {}, {}, {} FROM run r "
          "LEFT JOIN toolchain c ON c.id = r.toolchain LEFT JOIN problem p ON p.id = r.problem "
          "LEFT JOIN device d ON d.id = p.device WHERE {} ORDER BY r.id",
          run_uid_expression(version), version < 2 ? "NULL" : "r.clocks", toolchain_columns, problem_columns,
          device_columns, which));
  constexpr int toolchain_at = 14, problem_at = toolchain_at + toolchain_width,
                device_at = problem_at + problem_width;
  RunReader reader(*impl_->connection, version);
  RowDecoder decoder;
  const auto readable = [&](const char* table, const Cursor& row, auto read_it) {
    return impl_->readable(table, row, read_it);
  };
  Cursor row(statement);
  statement.bind(value);
  StoredRun run;
  while (row.next()) {
    const bool whole = impl_->readable("run", row, [&] {
      run.id = row.integer(0);
      run.info.uid = row.text(1);
      run.info.origin = read_origin(row, 2);
      run.info.strategy = row.text(3);
      run.info.seed = std::bit_cast<std::uint64_t>(row.integer(4));
      run.info.command = row.text(5);
      run.info.started_unix_s = row.integer(6);
      read_end(row, 7, run);
      read(row, toolchain_at, run.info.toolchain);
      read(row, problem_at, decoder, run.problem);
      read(row, device_at, run.problem.device);
    });
    if (!whole) continue;
    reader.winners(run, readable);
    if (parts == RunParts::all) {
      run.info.template_parts = template_parts(run.problem.template_hash);
      reader.outcomes(run, readable);
      run.neighbours = neighbour_times(run.id);
    }
    visit(run);
  }
}

Added Store::add_run(const StoredRun& run) {
  impl_->require_writable();
  check_run(run);
  Connection& connection = *impl_->connection;
  Transaction transaction(connection);
  const std::int64_t problem = ensure_problem(connection, run.problem);
  std::string uid = run.info.uid;
  auto known = find_run(connection, uid);
  if (known && known->problem != problem) {
    uid = uid_with_problem(run);
    known = find_run(connection, uid);
  }
  const bool ended = known && known->ended;
  // One that came by way of a bundle has no outcomes, and one out of an old document no neighbours.
  if (ended && (run.outcomes.empty() || has_rows(connection, "outcome", known->row)) &&
      (run.neighbours.empty() || has_rows(connection, "neighbour", known->row)))
    return Added::known;
  const std::int64_t row = known ? known->row : insert_run(connection, uid, run.problem, run.info);
  std::int64_t news = 0;
  {
    const auto stored =
        known ? stored_outcomes(connection, row) : std::set<std::pair<std::string, std::int64_t>>();
    Statement statement(connection, insert_outcome_sql);
    for (const OutcomeRecord& outcome : run.outcomes) {
      if (stored.contains({to_json(outcome.config), outcome.at_unix_ms})) continue;
      insert_outcome(statement, row, outcome);
      ++news;
    }
  }
  insert_neighbours(connection, row, run.neighbours);
  if (run.ended_unix_s && !ended) {
    close_run(connection, row, run.end, *run.ended_unix_s);
    insert_winners(connection, problem, row, run.winners, *run.ended_unix_s);
    mark_current_winners(connection, problem);
  }
  transaction.commit();
  if (!known) return Added::added;
  return ended || news > 0 || run.ended_unix_s ? Added::completed : Added::known;
}

RemoveReport Store::remove_runs(const std::vector<std::int64_t>& runs, bool dry_run) {
  if (!dry_run) impl_->require_writable();
  Connection& connection = *impl_->connection;
  // A temporary table belongs to the connection: a file that is only read stays as it is. Where it lies cannot be said once a
  // transaction is under way.
  connection.execute(
      "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE IF NOT EXISTS gone (run INTEGER PRIMARY KEY); "
      "DELETE FROM temp.gone");
  std::optional<Transaction> transaction;
  if (!dry_run) transaction.emplace(connection);
  for (const std::int64_t run : runs) {
    Statement statement(connection, "INSERT OR IGNORE INTO temp.gone VALUES (?)");
    Cursor cursor(statement);
    statement.bind(run);
    cursor.finish();
  }
  // What nothing that stays hangs on.
  const std::string problems = "id NOT IN (SELECT problem FROM run WHERE id NOT IN temp.gone)";
  // Files of version 1 have no times of libraries.
  const auto libraries = [&](const char* column) {
    return impl_->schema_version < 2 ? std::string()
                                     : fmt::format("UNION SELECT {} FROM reference_time ", column);
  };
  const std::string devices = "id NOT IN (SELECT device FROM problem WHERE NOT (" + problems + ") " +
                              libraries("device") + "UNION SELECT device FROM calibration)";
  const std::string toolchains =
      "id NOT IN (SELECT toolchain FROM run WHERE id NOT IN temp.gone " + libraries("toolchain") + ")";
  const auto count = [&](const char* table, const std::string& which) {
    return connection.query_integer(fmt::format("SELECT count(*) FROM {} WHERE {}", table, which));
  };
  const RemoveReport removed{count("run", "id IN temp.gone"), count("outcome", "run IN temp.gone"),
                             count("winner", "run IN temp.gone"), count("problem", problems),
                             count("device", devices)};
  if (dry_run) return removed;
  std::vector<std::int64_t> touched;
  {
    Statement statement(connection, "SELECT DISTINCT problem FROM run WHERE id IN temp.gone");
    Cursor row(statement);
    while (row.next()) touched.push_back(row.integer(0));
  }
  connection.execute(
      "DELETE FROM winner WHERE run IN temp.gone; DELETE FROM outcome WHERE run IN temp.gone; DELETE FROM "
      "neighbour WHERE run IN temp.gone");
  for (const std::int64_t problem : touched) mark_current_winners(connection, problem);
  connection.execute(fmt::format(
      "DELETE FROM run WHERE id IN temp.gone; DELETE FROM problem WHERE {}; DELETE FROM device WHERE {}; "
      "DELETE FROM toolchain WHERE {}; "
      "DELETE FROM template_part WHERE template_hash NOT IN (SELECT template_hash FROM problem)",
      problems, devices, toolchains));
  transaction->commit();
  return removed;
}

}  // namespace warptune::db
