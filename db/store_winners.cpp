// Current winners: the part of Store that reads them, in one scan.
#include <fmt/format.h>

#include "db/rows.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {
namespace {

using sqlite::Connection;
using sqlite::Cursor;
using sqlite::Statement;

// The record of the row `id`. Throws Unreadable where it is gone or cannot be read.
template <class Record>
void read_row(Statement& statement, std::int64_t id, Record& record) {
  Cursor row(statement);
  statement.bind(id);
  if (!row.next()) throw sqlite::Unreadable(fmt::format("row {}, to which it belongs, is gone", id));
  read(row, 0, record);
}

// A scan of the current winners of a kernel (empty: all), which holds each row's record until the next one.
class WinnerScan {
 public:
  // `device`: row, or nothing for all.
  WinnerScan(const Connection& connection, int schema_version, std::optional<std::int64_t> device,
             const std::string& kernel)
      // Left joins: a winner whose problem or run is gone is reported, not passed over in silence.
      : statement_(connection,
                   fmt::format("SELECT w.id, w.problem, w.run, w.at_unix_s, r.origin, r.strategy, "
                               "r.toolchain, p.device, {}, {} FROM winner w LEFT JOIN run r ON r.id = w.run "
                               "LEFT JOIN problem p ON p.id = w.problem "
                               "WHERE w.current = 1 AND (?1 IS NULL OR p.device IS NULL OR p.device = ?1) "
                               "AND (?2 = '' OR p.kernel IS NULL OR p.kernel = ?2) "
                               "ORDER BY w.problem, w.alignment_bytes",
                               winner_columns(schema_version), problem_columns)),
        // Few, so they are read when another one comes up, in the snapshot of the statement above.
        devices_(connection, fmt::format("SELECT {} FROM device d WHERE d.id = ?", device_columns)),
        toolchains_(connection, fmt::format("SELECT {} FROM toolchain c WHERE c.id = ?", toolchain_columns)),
        row_(statement_) {
    statement_.bind(device).bind(kernel);
  }

  bool next() { return row_.next(); }
  const Cursor& row() const { return row_; }

  // Decodes the row, all but the configs. Throws Unreadable.
  void read_all() {
    read_anew(problem_, 1, [&](std::int64_t) { read(row_, problem_at, decoder_, stored.problem); });
    read_anew(device_, 7, [&](std::int64_t id) { read_row(devices_, id, stored.problem.device); });
    read_anew(toolchain_, 6, [&](std::int64_t id) { read_row(toolchains_, id, stored.toolchain); });
    configs = read(row_, winner_at, decoder_, stored.winner);
    stored.run = row_.integer(2);
    stored.at_unix_s = row_.integer(3);
    stored.origin = read_origin(row_, 4);
    stored.strategy = row_.text(5);
  }

  StoredWinner stored;
  WinnerConfigs configs;

 private:
  static constexpr int winner_at = 8, problem_at = winner_at + winner_width;

  // Passes over what `stored` holds already: classes share a problem, most winners a device and a toolchain.
  template <class Read>
  void read_anew(std::int64_t& held, int column, Read read_it) {
    const std::int64_t id = row_.integer(column);
    if (held == id) return;
    held = 0;
    read_it(id);
    held = id;
  }

  Statement statement_, devices_, toolchains_;
  Cursor row_;
  RowDecoder decoder_;
  std::int64_t problem_ = 0, device_ = 0, toolchain_ = 0;  // rows that `stored` holds
};

}  // namespace

void Store::visit_winners(const std::optional<DeviceKey>& device, const std::string& kernel,
                          const std::function<void(const StoredWinner&)>& visit) const {
  std::optional<std::int64_t> device_row;
  if (device) {
    device_row = find_device(*impl_->connection, *device);
    if (!device_row) return;
  }
  WinnerScan scan(*impl_->connection, impl_->schema_version, device_row, kernel);
  while (scan.next()) {
    if (!impl_->readable("winner", scan.row(), [&] { scan.read_all(); })) continue;
    set(scan.stored.winner.config, *scan.configs.config);
    set(scan.stored.winner.default_config, *scan.configs.default_config);
    visit(scan.stored);
  }
}

std::vector<StoredWinner> Store::winners(const std::optional<DeviceKey>& device,
                                         const std::string& kernel) const {
  std::vector<StoredWinner> result;
  visit_winners(device, kernel, [&](const StoredWinner& stored) { result.push_back(stored); });
  return result;
}

WinnerTable Store::load_winners(const DeviceKey& device) const {
  WinnerTable table;
  const auto device_row = find_device(*impl_->connection, device);
  if (!device_row) return table;
  WinnerScan scan(*impl_->connection, impl_->schema_version, device_row, {});
  // The decoder gives the same object for the same text, so that configs are told apart without looking into them.
  std::unordered_map<const NamedValues*, WinnerTable::Index> known;
  const auto index = [&](const NamedValues* config) {
    const auto [found, fresh] = known.try_emplace(config);
    if (fresh) found->second = table.add_config(*config);
    return found->second;
  };
  while (scan.next()) {
    if (!impl_->readable("winner", scan.row(), [&] { scan.read_all(); })) continue;
    table.add(scan.stored, index(scan.configs.config), index(scan.configs.default_config));
  }
  table.finish();
  return table;
}

}  // namespace warptune::db
