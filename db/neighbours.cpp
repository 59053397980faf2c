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

std::optional<RunMark> Store::newest_with_neighbours() const {
  if (impl_->schema_version < 5) return std::nullopt;
  Statement statement(*impl_->connection,
                      "SELECT r.id, r.uid FROM run r WHERE r.id = (SELECT max(n.run) FROM neighbour n)");
  Cursor row(statement);
  if (!row.next()) return std::nullopt;
  RunMark mark;
  const bool whole = impl_->readable("run", row, [&] { mark = {row.integer(0), std::string(row.text(1))}; });
  return whole ? std::optional(std::move(mark)) : std::nullopt;
}

NeighbourTable Store::load_neighbours(const DeviceKey& device, const std::string& kernel,
                                      const RunMark& newest) const {
  NeighbourTable table;
  // One snapshot for both: another process may write meanwhile.
  Statement known(*impl_->connection, "SELECT 1 FROM run WHERE id = ? AND uid = ?");
  Cursor mark(known);
  known.bind(newest.id).bind(newest.uid);
  if (!mark.next())
    throw Error(ErrorKind::not_found,
                fmt::format("{} has changed since it was opened: times at neighbouring problems are not "
                            "read from it",
                            impl_->path.string()),
                "open it again");
  const auto device_row = find_device(*impl_->connection, device);
  if (!device_row) return table;
  Statement statement(
      *impl_->connection,
      fmt::format("SELECT {} FROM neighbour n WHERE n.run IN (SELECT r.id FROM run r JOIN problem p ON "
                  "p.id = r.problem WHERE p.device = ? AND p.kernel = ? AND r.id <= ?) ORDER BY n.run, n.id",
                  columns));
  Cursor row(statement);
  statement.bind(*device_row).bind(kernel).bind(newest.id);
  RowDecoder decoder;
  NeighbourTime time;
  while (row.next())
    if (impl_->readable("neighbour", row, [&] { read(row, decoder, time); })) table.add(row.integer(1), time);
  return table;
}

}  // namespace warptune::db
