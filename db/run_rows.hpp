// Statements that write a run and what hangs on it. Each needs a transaction of the caller; one connection, one
// thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <warptune/db/lifecycle.hpp>

#include "db/sqlite/connection.hpp"

namespace warptune::db {

inline constexpr const char* insert_outcome_sql =
    "INSERT INTO outcome (run, config, status, reason, time_ns, blocks_ns, max_error, "
    "verified_ragged, registers, local_bytes, shared_bytes, alignment_bytes, at_unix_ms) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?13 = 0, ?14, ?13))";
// `statement` is prepared from insert_outcome_sql. A time of 0 becomes the present.
void insert_outcome(sqlite::Statement& statement, std::int64_t run, const OutcomeRecord& outcome);

// Row of the new run. `uid` tells it from all others.
std::int64_t insert_run(sqlite::Connection& connection, const std::string& uid, const ProblemKey& problem,
                        const RunInfo& info);

// Ends the run's row and returns its problem's. Error usage: no such run, or it has ended.
std::int64_t close_run(sqlite::Connection& connection, std::int64_t run, const RunEnd& end,
                       std::int64_t ended_unix_s);

// Errors usage: a time that is not positive, an alignment that is no power of two, two winners of a class.
void check_winners(const std::vector<WinnerRecord>& winners);
void insert_winners(sqlite::Connection& connection, std::int64_t problem, std::int64_t run,
                    const std::vector<WinnerRecord>& winners, std::int64_t at_unix_s);

// Takes certificate and completeness from the winners of other runs of a problem whose configs may not run. Those that cannot be
// read have none that counts.
void withdraw_other_winners(sqlite::Connection& connection, std::int64_t problem, std::int64_t run,
                            const std::function<bool(const NamedValues& config)>& may_run);

// Marks the winner that readers get, per alignment class of a problem: the order of db/SCHEMA.md.
void mark_current_winners(sqlite::Connection& connection, std::int64_t problem);

// The uid of a row of table `run r`, as an expression for SELECT; files of version 1 get the one that their
// migration gives them.
const char* run_uid_expression(int schema_version);

}  // namespace warptune::db
