#include "db/migrations/migrations.hpp"

#include <fmt/format.h>

namespace warptune::db {

int latest_schema_version() { return migrations().back().version; }

Identity identify(sqlite::Connection& connection) {
  // One statement, one snapshot: another process may be making the schema between two.
  sqlite::Statement statement(connection,
                              "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema), "
                              "(SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'bundle') "
                              "FROM pragma_application_id, pragma_user_version");
  sqlite::Cursor row(statement);
  if (!row.next()) throw sqlite::damaged(connection.path(), "no header");
  const std::int64_t id = row.integer(0);
  const std::int64_t version = row.integer(1);
  if (id == application_id && version > latest_schema_version()) {
    return {FileKind::newer, static_cast<int>(version), false};
  }
  if (id == application_id && version > 0)
    return {FileKind::ours, static_cast<int>(version), row.integer(3) > 0};
  if (id == 0 && version == 0 && row.integer(2) == 0) return {FileKind::empty, 0, false};
  return {FileKind::foreign, 0, false};
}

void require_usable(const Identity& identity, const std::filesystem::path& file) {
  if (identity.kind == FileKind::foreign) {
    throw Error(ErrorKind::database, fmt::format("{} is another program's database", file.string()),
                "name another file");
  }
  if (identity.kind == FileKind::newer) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{} was written by a later warptune (schema {}, this one knows {})",
                            file.string(), identity.schema_version, latest_schema_version()),
                "update warptune or name another file");
  }
}

void migrate(sqlite::Connection& connection) {
  sqlite::Transaction transaction(connection);
  // Read again under the lock: another process may have been first.
  const Identity identity = identify(connection);
  require_usable(identity, connection.path());
  for (const Migration& step : migrations()) {
    if (step.version > identity.schema_version) connection.execute(std::string(step.sql));
  }
  connection.execute(fmt::format("PRAGMA application_id = {}", application_id));
  connection.execute(fmt::format("PRAGMA user_version = {}", latest_schema_version()));
  transaction.commit();
}

}  // namespace warptune::db
