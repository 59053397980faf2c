// Times at neighbouring problems: the part of Store that reads and writes them.
#include "db/neighbours.hpp"

#include <fmt/format.h>

#include "db/rows.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {

using sqlite::Cursor;
using sqlite::Statement;

namespace {

constexpr const char* columns = "n.id, n.run, n.dims, n.config, n.time_ns, n.samples";

void read(const Cursor& row, RowDecoder& decoder, NeighbourTime& time) {
  time.dims = decoder.dims(row.text(2));
  time.config = decoder.configs(row.text(3));
  time.time_ns = row.real(4);
  time.samples = row.integer(5);
  if (!is_positive(time.time_ns))
    throw sqlite::Unreadable(fmt::format("a neighbour's time of {} ns", time.time_ns));
}

}  // namespace

void check_neighbours(const std::vector<NeighbourTime>& times) {
  for (const NeighbourTime& time : times)
    if (!is_positive(time.time_ns))
      throw Error(ErrorKind::usage, fmt::format("a neighbour's time of {} ns", time.time_ns),
                  "store only what was timed");
}

void insert_neighbours(sqlite::Connection& connection, std::int64_t run,
                       const std::vector<NeighbourTime>& times) {
  Statement statement(connection,
                      "INSERT INTO neighbour (run, dims, config, time_ns, samples) VALUES (?, ?, ?, ?, ?) "
                      "ON CONFLICT DO NOTHING");
  for (const NeighbourTime& time : times) {
    Cursor cursor(statement);
    statement.bind(run).bind(to_json(time.dims)).bind(to_json(time.config)).bind(time.time_ns);
    statement.bind(time.samples);
    cursor.finish();
  }
}

void Store::add_neighbour_times(std::int64_t run, const std::vector<NeighbourTime>& times) {
  impl_->require_writable();
  check_neighbours(times);
  sqlite::Transaction transaction(*impl_->connection);
  insert_neighbours(*impl_->connection, run, times);
  transaction.commit();
}

std::vector<NeighbourTime> Store::neighbour_times(std::int64_t run) const {
  std::vector<NeighbourTime> times;
  if (impl_->schema_version < 5) return times;
  Statement statement(*impl_->connection,
                      fmt::format("SELECT {} FROM neighbour n WHERE n.run = ? ORDER BY n.id", columns));
  Cursor row(statement);
  statement.bind(run);
  RowDecoder decoder;
  while (row.next()) {
    NeighbourTime time;
    if (impl_->readable("neighbour", row, [&] { read(row, decoder, time); }))
      times.push_back(std::move(time));
  }
  return times;
}

NeighbourTable Store::load_neighbours(const DeviceKey& device) const {
  NeighbourTable table;
  const auto device_row = find_device(*impl_->connection, device);
  if (!device_row || impl_->schema_version < 5) return table;
  Statement statement(
      *impl_->connection,
      fmt::format("SELECT {} FROM neighbour n WHERE n.run IN (SELECT w.run FROM winner w JOIN problem p ON "
                  "p.id = w.problem WHERE w.current = 1 AND p.device = ?) ORDER BY n.run, n.id",
                  columns));
  Cursor row(statement);
  statement.bind(*device_row);
  RowDecoder decoder;
  NeighbourTime time;
  while (row.next())
    if (impl_->readable("neighbour", row, [&] { read(row, decoder, time); })) table.add(row.integer(1), time);
  return table;
}

}  // namespace warptune::db
