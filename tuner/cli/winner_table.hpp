// Stored winners as a table that show, explain and export share. Pure functions apart from reading templates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>

#include "tuner/cli/freshness.hpp"
#include "tuner/report/document.hpp"

namespace warptune::tuner {

// Sorted by kernel, types, class, policy, device, dims, alignment. `now_unix_s` gives ages.
Table winner_table(const std::vector<db::StoredWinner>& winners, const Freshness& freshness,
                   std::int64_t now_unix_s);

// By a column of numbers; rows that have none come last, and equal ones keep their order. Precondition: the table has
// the column.
void sort_rows(Table& table, const std::string& column, bool descending);

// One row per problem: the record for the widest alignment. `winners` come as Store::winners() gives them: those of a
// problem together, the widest last.
std::vector<db::StoredWinner> widest_only(std::vector<db::StoredWinner> winners);

std::int64_t unix_now_s();

}  // namespace warptune::tuner
