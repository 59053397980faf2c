// Statements that write times at neighbouring problems. Each needs a transaction of the caller; one connection, one thread at a
// time.
#pragma once

#include <cstdint>
#include <vector>

#include <warptune/db/records.hpp>

#include "db/sqlite/connection.hpp"

namespace warptune::db {

// Error usage: a time that is not positive.
void check_neighbours(const std::vector<NeighbourTime>& times);
// What the run has already stays.
void insert_neighbours(sqlite::Connection& connection, std::int64_t run,
                       const std::vector<NeighbourTime>& times);

}  // namespace warptune::db
