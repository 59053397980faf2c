#include <fmt/format.h>

#include <warptune/db/bundle.hpp>

#include "db/bundle_schema.hpp"
#include "db/rows.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {

using sqlite::Cursor;
using sqlite::Statement;

BundleReader::BundleReader(Store store) : store_(std::move(store)) {
  const sqlite::Connection& connection = *store_.impl_->connection;
  Statement format(connection, "SELECT format FROM bundle");
  Cursor head(format);
  if (!head.next()) throw sqlite::damaged(connection.path(), "table bundle is empty");
  if (const std::int64_t found = head.integer(0); found > bundle_format) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{} is a bundle of a later warptune (format {}, this one knows {})",
                            connection.path().string(), found, bundle_format),
                "update warptune or make the bundle anew");
  }
  Statement statement(connection,
                      "SELECT warptune_version, nvrtc_version, headers_hash, made_unix_s FROM bundle");
  Cursor row(statement);
  row.next();
  info_.warptune_version = row.text(0);
  info_.nvrtc_version = row.text(1);
  info_.headers_hash = row.text(2);
  info_.made_unix_s = row.integer(3);
}

std::optional<BundledTemplate> BundleReader::find_template(const std::string& kernel) const {
  const sqlite::Connection& connection = *store_.impl_->connection;
  Statement statement(connection,
                      "SELECT id, kernel, template_hash, manifest_name, manifest, source_name, source "
                      "FROM bundle_template WHERE kernel = ?");
  Cursor row(statement);
  statement.bind(kernel);
  if (!row.next()) return std::nullopt;
  BundledTemplate found;
  found.kernel = row.text(1);
  found.template_hash = row.text(2);
  found.manifest_name = row.text(3);
  found.manifest = row.text(4);
  found.source_name = row.text(5);
  found.source = row.text(6);
  Statement headers(connection, "SELECT id, name, content FROM bundle_header WHERE template = ?");
  Cursor header(headers);
  headers.bind(row.id());
  while (header.next()) {
    const std::string name(header.text(1));
    found.headers[name] = header.text(2);
  }
  return found;
}

std::optional<BundledKernel> BundleReader::find_kernel(const BundledKernelKey& key) const {
  Statement statement(
      *store_.impl_->connection,
      "SELECT k.id, k.architecture, k.lowered_name, k.registers, k.local_bytes, k.static_shared_bytes, "
      "k.max_threads_per_block, i.hash, i.bytes FROM bundle_kernel k JOIN bundle_image i ON i.id = k.image "
      "WHERE k.template_hash = ?1 AND k.entry = ?2 AND k.prelude = ?3 "
      "AND (k.architecture = ?4 OR (?4 = '' AND k.architecture LIKE 'compute\\_%' ESCAPE '\\'))");
  Cursor row(statement);
  statement.bind(key.template_hash).bind(key.entry).bind(key.prelude).bind(key.architecture);
  if (!row.next()) return std::nullopt;
  BundledKernel found{key, std::string(row.text(2)), 0, 0, 0, 0, std::string(row.text(7)), {}};
  found.key.architecture = row.text(1);
  found.registers = row.small_integer(3);
  found.local_bytes = row.small_integer(4);
  found.static_shared_bytes = row.small_integer(5);
  found.max_threads_per_block = row.small_integer(6);
  const std::span<const std::byte> bytes = row.blob(8);
  found.image.assign(bytes.begin(), bytes.end());
  return found;
}

std::vector<CoverRow> BundleReader::cover(const std::string& kernel, const DeviceKey& device) const {
  std::vector<CoverRow> rows;
  const auto device_row = find_device(*store_.impl_->connection, device);
  if (!device_row) return rows;
  Statement statement(*store_.impl_->connection,
                      fmt::format("SELECT b.id, b.alignment_bytes, b.config, b.loss, {} FROM bundle_cover b "
                                  "JOIN problem p ON p.id = b.problem WHERE p.kernel = ? AND p.device = ? "
                                  "ORDER BY b.id",
                                  problem_columns));
  Cursor row(statement);
  statement.bind(kernel).bind(*device_row);
  RowDecoder decoder;
  while (row.next()) {
    CoverRow cover;
    const bool whole = store_.impl_->readable("bundle_cover", row, [&] {
      cover.alignment_bytes = row.small_integer(1);
      cover.config = decoder.configs(row.text(2));
      cover.loss = row.real(3);
      read(row, 4, decoder, cover.problem);
      cover.problem.device = device;
    });
    if (whole) rows.push_back(std::move(cover));
  }
  return rows;
}

}  // namespace warptune::db
