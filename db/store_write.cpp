// The writing half of Store: each public call is one committed transaction.
#include <fmt/format.h>

#include <random>

#include "db/rows.hpp"
#include "db/run_rows.hpp"
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

}  // namespace

std::int64_t Store::begin_run(const ProblemKey& problem, const RunInfo& info) {
  impl_->require_writable();
  Transaction transaction(*impl_->connection);
  const std::int64_t run =
      insert_run(*impl_->connection, info.uid.empty() ? random_uid() : info.uid, problem, info);
  transaction.commit();
  return run;
}

void Store::add_outcome(std::int64_t run, const OutcomeRecord& outcome) {
  impl_->require_writable();
  if (!impl_->insert_outcome) impl_->insert_outcome.emplace(*impl_->connection, insert_outcome_sql);
  // A single statement is a transaction of its own.
  insert_outcome(*impl_->insert_outcome, run, outcome);
}

void Store::end_run(std::int64_t run, const RunEnd& end, const std::vector<WinnerRecord>& winners,
                    const std::function<bool(const NamedValues&)>& may_run) {
  impl_->require_writable();
  check_winners(winners);
  Connection& connection = *impl_->connection;
  const std::int64_t now_unix_s = unix_now<std::chrono::seconds>();
  Transaction transaction(connection);
  const std::int64_t problem = close_run(connection, run, end, now_unix_s);
  insert_winners(connection, problem, run, winners, now_unix_s);
  if (may_run && !winners.empty()) withdraw_other_winners(connection, problem, run, may_run);
  mark_current_winners(connection, problem);
  transaction.commit();
}

bool Store::add_calibration(const Calibration& offered) {
  const auto present = calibration(offered.device);
  if (present && present->at_unix_s >= offered.at_unix_s) return false;
  set_calibration(offered);
  return true;
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
