#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <warptune/base/file.hpp>
#include <warptune/base/hash.hpp>
#include <warptune/db/bundle.hpp>

#include "db/bundle_schema.hpp"
#include "db/rows.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {
namespace {

namespace fs = std::filesystem;
using sqlite::Cursor;
using sqlite::Statement;

constexpr std::size_t largest_bundle_bytes = std::size_t{4} << 30;

// A file that holds anything but a bundle is never replaced.
void require_replaceable(const fs::path& target) {
  std::error_code code;
  const fs::file_status status = fs::status(target, code);
  if (status.type() == fs::file_type::not_found) return;
  if (status.type() == fs::file_type::directory)
    throw Error(ErrorKind::bad_input, fmt::format("{} is a folder", target.string()), "name a file");
  try {
    if (status.type() == fs::file_type::regular && Store::open(target, OpenMode::read_only).is_bundle())
      return;
  } catch (const Error&) {  // whatever it is, it is no bundle
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{} exists and is no bundle: it is left as it is", target.string()),
              "name another file");
}

// Where it cannot be written is said before the work, not after it. The folder may be missing: it is made.
void require_writable_folder(const fs::path& target) {
  fs::path folder = fs::absolute(target).parent_path();
  std::error_code code;
  while (folder.has_relative_path() && !fs::exists(folder, code)) folder = folder.parent_path();
  if (fs::is_directory(folder, code) && ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0)
    return;
  throw Error(ErrorKind::io,
              fmt::format("{} cannot be written: no permission for {}", target.string(), folder.string()),
              "change the folder's permissions or name another file", EACCES);
}

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

BundleWriter::BundleWriter(fs::path target) : target_(std::move(target)) {
  require_replaceable(target_);
  require_writable_folder(target_);
  store_ = Store::open(folder_.path() / "bundle.db", OpenMode::create);
  store_->impl_->connection->execute(bundle_schema);
}

void BundleWriter::add(const BundledTemplate& bundled) {
  sqlite::Connection& connection = *store_->impl_->connection;
  {
    Statement statement(connection,
                        "INSERT INTO bundle_template (kernel, template_hash, manifest_name, manifest, "
                        "source_name, source) VALUES (?, ?, ?, ?, ?, ?)");
    Cursor cursor(statement);
    statement.bind(bundled.kernel).bind(bundled.template_hash);
    statement.bind(bundled.manifest_name).bind(bundled.manifest);
    statement.bind(bundled.source_name).bind(bundled.source);
    cursor.finish();
  }
  const std::int64_t id = connection.last_insert_id();
  Statement statement(connection, "INSERT INTO bundle_header (template, name, content) VALUES (?, ?, ?)");
  for (const auto& [name, content] : bundled.headers) {
    Cursor cursor(statement);
    statement.bind(id).bind(name).bind(content);
    cursor.finish();
  }
}

void BundleWriter::add(const BundledKernel& kernel) {
  sqlite::Connection& connection = *store_->impl_->connection;
  const std::string hash = hash_hex(as_text(kernel.image));
  {
    Statement statement(connection,
                        "INSERT INTO bundle_image (hash, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING");
    Cursor cursor(statement);
    statement.bind(hash).bind(std::span<const std::byte>(kernel.image));
    cursor.finish();
  }
  Statement statement(connection,
                      "INSERT INTO bundle_kernel (template_hash, entry, architecture, prelude, lowered_name, "
                      "registers, local_bytes, static_shared_bytes, max_threads_per_block, image) "
                      "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, id FROM bundle_image WHERE hash = ?10");
  Cursor cursor(statement);
  statement.bind(kernel.key.template_hash).bind(kernel.key.entry);
  statement.bind(kernel.key.architecture).bind(kernel.key.prelude).bind(kernel.lowered_name);
  statement.bind(kernel.registers).bind(kernel.local_bytes).bind(kernel.static_shared_bytes);
  statement.bind(kernel.max_threads_per_block).bind(hash);
  cursor.finish();
}

void BundleWriter::add(const CoverRow& row) {
  const auto problem = find_problem(*store_->impl_->connection, row.problem);
  if (!problem)
    throw Error(ErrorKind::usage,
                "a cover for a problem that the bundle does not have: " + row.problem.kernel,
                "add its run first");
  Statement statement(
      *store_->impl_->connection,
      "INSERT INTO bundle_cover (problem, alignment_bytes, config, loss) VALUES (?, ?, ?, ?)");
  Cursor cursor(statement);
  statement.bind(*problem).bind(row.alignment_bytes).bind(to_json(row.config)).bind(row.loss);
  cursor.finish();
}

std::int64_t BundleWriter::publish(const BundleInfo& info) {
  sqlite::Connection& connection = *store_->impl_->connection;
  {
    Statement statement(connection,
                        "INSERT INTO bundle (id, format, warptune_version, nvrtc_version, headers_hash, "
                        "made_unix_s) VALUES (1, ?, ?, ?, ?, ?)");
    Cursor cursor(statement);
    statement.bind(bundle_format).bind(info.warptune_version).bind(info.nvrtc_version);
    statement.bind(info.headers_hash).bind(or_now_s(info.made_unix_s));
    cursor.finish();
  }
  // Command lines name files of the machine that tuned.
  connection.execute(
      "DELETE FROM outcome; DELETE FROM winner WHERE current = 0; DELETE FROM reference_time; "
      "DELETE FROM calibration; UPDATE run SET command = ''");
  const fs::path whole = folder_.path() / "whole.db";
  store_->compact_copy(whole);
  const std::string content = read_file(whole, largest_bundle_bytes);
  publish_file(target_, content);
  std::error_code code;
  fs::permissions(target_, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read, code);
  if (code) {
    throw Error(ErrorKind::io, fmt::format("cannot make {} read-only: {}", target_.string(), code.message()),
                "check the permissions of its folder", code.value());
  }
  return static_cast<std::int64_t>(content.size());
}

}  // namespace warptune::db
