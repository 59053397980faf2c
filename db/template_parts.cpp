// What template hashes were made of, so that a stale row can say what changed.
#include "db/rows.hpp"
#include "db/store_impl.hpp"

namespace warptune::db {

using sqlite::Cursor;
using sqlite::Statement;

void insert_template_parts(sqlite::Connection& connection, const std::string& template_hash,
                           const std::map<std::string, std::string>& parts) {
  Statement statement(
      connection,
      "INSERT INTO template_part (template_hash, part, hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  for (const auto& [part, hash] : parts) {
    Cursor cursor(statement);
    statement.bind(template_hash).bind(part).bind(hash);
    cursor.finish();
  }
}

std::map<std::string, std::string> Store::template_parts(const std::string& template_hash) const {
  std::map<std::string, std::string> parts;
  if (impl_->schema_version < 2) return parts;
  Statement statement(*impl_->connection, "SELECT id, part, hash FROM template_part WHERE template_hash = ?");
  Cursor row(statement);
  statement.bind(template_hash);
  while (row.next()) {
    impl_->readable("template_part", row, [&] {
      const std::string part(row.text(1));
      parts[part] = row.text(2);
    });
  }
  return parts;
}

}  // namespace warptune::db
