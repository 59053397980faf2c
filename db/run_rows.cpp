#include "db/run_rows.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <set>

#include "db/rows.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {

using sqlite::Connection;
using sqlite::Cursor;
using sqlite::Statement;

void insert_outcome(Statement& statement, std::int64_t run, const OutcomeRecord& outcome) {
  Cursor cursor(statement);
  bind_outcome(statement, run, outcome);
  statement.bind(unix_now<std::chrono::milliseconds>());
  cursor.finish();
}

std::int64_t insert_run(Connection& connection, const std::string& uid, const ProblemKey& problem,
                        const RunInfo& info) {
  const std::int64_t problem_row = ensure_problem(connection, problem);
  const std::int64_t toolchain_row = ensure_toolchain(connection, info.toolchain);
  std::int64_t run = 0;
  {
    Statement statement(
        connection,
        "INSERT INTO run (uid, problem, toolchain, origin, strategy, seed, command, started_unix_s, "
        "clocks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, '{}'))");
    Cursor cursor(statement);
    statement.bind(uid).bind(problem_row).bind(toolchain_row).bind(to_text(info.origin));
    statement.bind(info.strategy).bind(std::bit_cast<std::int64_t>(info.seed)).bind(info.command);
    statement.bind(or_now_s(info.started_unix_s)).bind(to_json(info.marks));
    cursor.finish();
    run = connection.last_insert_id();
  }
  insert_template_parts(connection, problem.template_hash, info.template_parts);
  return run;
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

void insert_winners(Connection& connection, std::int64_t problem, std::int64_t run,
                    const std::vector<WinnerRecord>& winners, std::int64_t at_unix_s) {
  Statement statement(
      connection,
      "INSERT INTO winner (alignment_bytes, config, time_ns, default_time_ns, default_config, "
      "certified, complete, interval_low_ns, interval_high_ns, samples, tied, verified_ragged, bytes, "
      "flops, limit_bytes_per_s, certified_by, problem, run, current, at_unix_s) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)");
  for (const WinnerRecord& winner : winners) {
    Cursor cursor(statement);
    bind_winner(statement, winner);
    statement.bind(problem).bind(run).bind(at_unix_s);
    cursor.finish();
  }
}

void withdraw_other_winners(Connection& connection, std::int64_t problem, std::int64_t run,
                            const std::function<bool(const NamedValues&)>& may_run) {
  std::vector<std::int64_t> gone;
  {
    Statement statement(connection,
                        "SELECT id, config FROM winner WHERE problem = ? AND run <> ? AND (certified = 1 OR "
                        "complete = 1)");
    Cursor row(statement);
    statement.bind(problem).bind(run);
    while (row.next()) {
      try {
        if (!may_run(from_json<NamedValues>(row.text(1)))) gone.push_back(row.integer(0));
      } catch (const sqlite::Unreadable&) {
        continue;
      }
    }
  }
  Statement statement(
      connection,
      "UPDATE winner SET certified = 0, certified_by = '', complete = 0, interval_low_ns = NULL, "
      "interval_high_ns = NULL WHERE id = ?");
  for (const std::int64_t winner : gone) {
    Cursor cursor(statement);
    statement.bind(winner);
    cursor.finish();
  }
}

// This statement is the order of winners: readable, measured, certified, complete, newest. Times take no part.
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

std::int64_t close_run(Connection& connection, std::int64_t run, const RunEnd& end,
                       std::int64_t ended_unix_s) {
  Statement statement(connection,
                      "UPDATE run SET ended_unix_s = ?, complete = ?, space_size = ?, wall_s = ?, gpu_s = ?, "
                      "phase_s = ?, clocks = ? "
                      "WHERE id = ? AND ended_unix_s IS NULL RETURNING problem");
  Cursor cursor(statement);
  statement.bind(ended_unix_s).bind(end.complete).bind(end.space_size).bind(end.wall_s).bind(end.gpu_s);
  statement.bind(to_json(end.phase_s)).bind(to_json(end.clocks)).bind(run);
  if (!cursor.next()) {
    throw Error(ErrorKind::usage, fmt::format("run {} does not exist or has ended", run),
                "end each run once");
  }
  const std::int64_t problem = cursor.integer(0);
  cursor.finish();
  return problem;
}

const char* run_uid_expression(int schema_version) {
  return schema_version < 2 ? "printf('v1-%d-%d-%d-%s-%!.17g', r.id, r.started_unix_s, r.seed, r.origin, "
                              "ifnull(r.wall_s, 0))"
                            : "r.uid";
}

}  // namespace warptune::db
