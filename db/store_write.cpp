// The writing half of Store: each public call is one committed transaction.
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <random>
#include <set>

#include "db/rows.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {
namespace {

using sqlite::Connection;
using sqlite::Cursor;
using sqlite::Statement;
using sqlite::Transaction;

std::string random_uid() {
  std::random_device device;
  std::string uid;
  for (int i = 0; i < 4; ++i) uid += fmt::format("{:08x}", static_cast<std::uint32_t>(device()));
  return uid;
}

void check_winners(const std::vector<WinnerRecord>& winners) {
  std::set<int> classes;
  for (const WinnerRecord& winner : winners) {
    if (!(std::isfinite(winner.time_ns) && winner.time_ns > 0)) {
      throw Error(ErrorKind::usage, fmt::format("a winner with a time of {} ns", winner.time_ns),
                  "choose winners among outcomes that are ok");
    }
    if (winner.alignment_bytes <= 0 || !std::has_single_bit(static_cast<unsigned>(winner.alignment_bytes))) {
      throw Error(ErrorKind::usage,
                  fmt::format("a winner with an alignment of {} bytes", winner.alignment_bytes),
                  "use a power of two");
    }
    if (!classes.insert(winner.alignment_bytes).second) {
      throw Error(ErrorKind::usage,
                  fmt::format("two winners for the alignment of {} bytes", winner.alignment_bytes),
                  "keep one per class");
    }
  }
}

// Marks the winner that readers get, per alignment class of a problem. This statement is the order of
// winners: readable, measured before replayed, certified, complete, newest. Times take no part.
void mark_current_winners(Connection& connection, std::int64_t problem) {
  Statement clear(connection, "UPDATE winner SET current = 0 WHERE problem = ? AND current = 1");
  Cursor clearing(clear);
  clear.bind(problem);
  clearing.finish();
  Statement mark(
      connection,
      "UPDATE winner SET current = 1 WHERE id IN (SELECT id FROM ("
      "SELECT w.id AS id, row_number() OVER (PARTITION BY w.alignment_bytes ORDER BY "
      "CASE WHEN json_valid(w.config) THEN json_type(w.config) = 'object' ELSE 0 END DESC, "
      "r.origin = 'measured' DESC, w.certified DESC, w.complete DESC, w.at_unix_s DESC, w.id DESC) AS place "
      "FROM winner w JOIN run r ON r.id = w.run WHERE w.problem = ?) WHERE place = 1)");
  Cursor marking(mark);
  mark.bind(problem);
  marking.finish();
}

// Ends the run's row and returns its problem.
std::int64_t close_run(Connection& connection, std::int64_t run, const RunEnd& end, std::int64_t now_unix_s) {
  Statement statement(connection,
                      "UPDATE run SET ended_unix_s = ?, complete = ?, space_size = ?, wall_s = ?, gpu_s = ?, "
                      "phase_s = ?, clocks = ? "
                      "WHERE id = ? AND ended_unix_s IS NULL RETURNING problem");
  Cursor cursor(statement);
  statement.bind(now_unix_s).bind(end.complete).bind(end.space_size).bind(end.wall_s).bind(end.gpu_s);
  statement.bind(to_json(end.phase_s)).bind(to_json(end.clocks)).bind(run);
  if (!cursor.next()) {
    throw Error(ErrorKind::usage, fmt::format("run {} does not exist or has ended", run),
                "end each run once");
  }
  const std::int64_t problem = cursor.integer(0);
  cursor.finish();
  return problem;
}

}  // namespace

std::int64_t Store::begin_run(const ProblemKey& problem, const RunInfo& info) {
  impl_->require_writable();
  Connection& connection = *impl_->connection;
  Transaction transaction(connection);
  const std::int64_t problem_row = ensure_problem(connection, problem);
  const std::int64_t toolchain_row = ensure_toolchain(connection, info.toolchain);
  {
    Statement statement(
        connection,
        "INSERT INTO run (uid, problem, toolchain, origin, strategy, seed, command, started_unix_s) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    Cursor cursor(statement);
    statement.bind(info.uid.empty() ? random_uid() : info.uid);
    statement.bind(problem_row).bind(toolchain_row).bind(to_text(info.origin)).bind(info.strategy);
    statement.bind(std::bit_cast<std::int64_t>(info.seed))
        .bind(info.command)
        .bind(or_now_s(info.started_unix_s));
    cursor.finish();
  }
  const std::int64_t run = connection.last_insert_id();
  insert_template_parts(connection, problem.template_hash, info.template_parts);
  transaction.commit();
  return run;
}

void Store::add_outcome(std::int64_t run, const OutcomeRecord& outcome) {
  impl_->require_writable();
  if (!impl_->insert_outcome) {
    impl_->insert_outcome.emplace(
        *impl_->connection,
        "INSERT INTO outcome (run, config, status, reason, time_ns, blocks_ns, max_error, "
        "verified_ragged, registers, local_bytes, shared_bytes, alignment_bytes, at_unix_ms) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?13 = 0, ?14, ?13))");
  }
  // A single statement is a transaction of its own.
  Cursor cursor(*impl_->insert_outcome);
  bind_outcome(*impl_->insert_outcome, run, outcome);
  impl_->insert_outcome->bind(unix_now<std::chrono::milliseconds>());
  cursor.finish();
}

void Store::end_run(std::int64_t run, const RunEnd& end, const std::vector<WinnerRecord>& winners) {
  impl_->require_writable();
  check_winners(winners);
  Connection& connection = *impl_->connection;
  const std::int64_t now_unix_s = unix_now<std::chrono::seconds>();
  Transaction transaction(connection);
  const std::int64_t problem = close_run(connection, run, end, now_unix_s);
  {
    Statement statement(
        connection,
        "INSERT INTO winner (alignment_bytes, config, time_ns, default_time_ns, default_config, "
        "certified, complete, interval_low_ns, interval_high_ns, samples, tied, verified_ragged, bytes, "
        "flops, limit_bytes_per_s, certified_by, problem, run, current, at_unix_s) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)");
    for (const WinnerRecord& winner : winners) {
      Cursor cursor(statement);
      bind_winner(statement, winner);
      statement.bind(problem).bind(run).bind(now_unix_s);
      cursor.finish();
    }
  }
  mark_current_winners(connection, problem);
  transaction.commit();
}

void Store::set_calibration(const Calibration& calibration) {
  impl_->require_writable();
  Connection& connection = *impl_->connection;
  Transaction transaction(connection);
  {
    const std::int64_t device = ensure_device(connection, calibration.device);
    Statement statement(connection, "INSERT INTO calibration (device, figures, at_unix_s) VALUES (?, ?, ?)");
    Cursor cursor(statement);
    statement.bind(device).bind(to_json(calibration.figures)).bind(or_now_s(calibration.at_unix_s));
    cursor.finish();
  }
  transaction.commit();
}

}  // namespace warptune::db
