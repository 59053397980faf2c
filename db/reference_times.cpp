// Times of other libraries: the part of Store that reads and writes them.
#include <fmt/format.h>

#include "db/rows.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {
namespace {

using sqlite::Cursor;
using sqlite::Statement;

// Files before version 3 do not say what of ours was timed beside.
std::string columns(int schema_version) {
  return fmt::format(
      "f.id, f.kernel, f.types, f.dims, f.attributes, f.policy, f.library, f.call, f.library_version, "
      "f.time_ns, f.interval_low_ns, f.interval_high_ns, f.samples, f.at_unix_s, {}",
      schema_version < 3 ? "NULL, NULL, NULL" : "f.beside_config, f.beside_time_ns, f.beside_speedup");
}
constexpr int width = 17;

bool has_valid_times(const ReferenceTime& time) {
  return is_positive(time.time_ns) &&
         (!time.beside || (is_positive(time.beside->time_ns) && is_positive(time.beside->speedup)));
}

ReferenceTime read(const Cursor& row, RowDecoder& decoder) {
  ReferenceTime time;
  time.kernel = row.text(1);
  time.types = decoder.types(row.text(2));
  time.dims = decoder.dims(row.text(3));
  time.attributes = decoder.attributes(row.text(4));
  time.policy = row.text(5);
  time.library = row.text(6);
  time.call = row.text(7);
  time.library_version = row.text(8);
  time.time_ns = row.real(9);
  time.interval_low_ns = row.optional_real(10);
  time.interval_high_ns = row.optional_real(11);
  time.samples = row.integer(12);
  time.at_unix_s = row.integer(13);
  if (!row.is_null(14)) time.beside = Beside{decoder.configs(row.text(14)), row.real(15), row.real(16)};
  read(row, width, time.device);
  read(row, width + device_width, time.toolchain);
  if (!has_valid_times(time))
    throw sqlite::Unreadable(fmt::format("a library's time of {} ns", time.time_ns));
  return time;
}

}  // namespace

void Store::add_reference_time(const ReferenceTime& time) {
  impl_->require_writable();
  if (!has_valid_times(time)) {
    throw Error(ErrorKind::usage, fmt::format("a library's time of {} ns", time.time_ns),
                "add only calls that succeeded");
  }
  sqlite::Connection& connection = *impl_->connection;
  sqlite::Transaction transaction(connection);
  {
    const std::int64_t device = ensure_device(connection, time.device);
    const std::int64_t toolchain = ensure_toolchain(connection, time.toolchain);
    Statement statement(
        connection,
        "INSERT INTO reference_time (kernel, types, dims, attributes, device, policy, library, call, "
        "library_version, toolchain, time_ns, interval_low_ns, interval_high_ns, samples, at_unix_s, "
        "beside_config, beside_time_ns, beside_speedup) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET time_ns = "
        "excluded.time_ns, interval_low_ns = excluded.interval_low_ns, interval_high_ns = "
        "excluded.interval_high_ns, samples = excluded.samples, beside_config = excluded.beside_config, "
        "beside_time_ns = excluded.beside_time_ns, beside_speedup = excluded.beside_speedup");
    Cursor cursor(statement);
    statement.bind(time.kernel)
        .bind(to_json(time.types))
        .bind(to_json(time.dims))
        .bind(to_json(time.attributes));
    statement.bind(device).bind(time.policy).bind(time.library).bind(time.call).bind(time.library_version);
    statement.bind(toolchain).bind(time.time_ns).bind(time.interval_low_ns).bind(time.interval_high_ns);
    statement.bind(time.samples).bind(or_now_s(time.at_unix_s));
    if (const auto& beside = time.beside) {
      statement.bind(to_json(beside->config)).bind(beside->time_ns).bind(beside->speedup);
    } else {
      statement.bind(std::nullopt).bind(std::nullopt).bind(std::nullopt);
    }
    cursor.finish();
  }
  transaction.commit();
}

std::vector<ReferenceTime> Store::reference_times(const std::string& kernel) const {
  std::vector<ReferenceTime> result;
  if (impl_->schema_version < 2) return result;
  Statement statement(
      *impl_->connection,
      fmt::format("SELECT {}, {}, {} FROM (SELECT *, row_number() OVER (PARTITION BY kernel, types, dims, "
                  "attributes, device, "
                  "policy, library, call ORDER BY at_unix_s DESC, id DESC) AS place FROM reference_time "
                  "WHERE ?1 = '' OR kernel = ?1) f "
                  "LEFT JOIN device d ON d.id = f.device LEFT JOIN toolchain c ON c.id = f.toolchain WHERE "
                  "f.place = 1 "
                  "ORDER BY f.kernel, f.types, f.dims, f.attributes, f.device, f.policy, f.library, f.call",
                  columns(impl_->schema_version), device_columns, toolchain_columns));
  Cursor row(statement);
  statement.bind(kernel);
  RowDecoder decoder;
  while (row.next()) impl_->readable("reference_time", row, [&] { result.push_back(read(row, decoder)); });
  return result;
}

}  // namespace warptune::db
