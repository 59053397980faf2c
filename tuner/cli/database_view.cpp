#include "tuner/cli/database_view.hpp"

#include <warptune/base/error.hpp>

#include "tuner/report/units.hpp"

namespace warptune::tuner {

db::Store open_for_reading(const Context& context) {
  try {
    return db::Store::open(context.database, db::OpenMode::read_only);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    throw Error(ErrorKind::not_found, "no database '" + context.database.string() + "'",
                "name one with --db, or make one with `warptune tune`");
  }
}

db::Store open_for_writing(const Context& context) {
  const auto cannot_save = [&](const Error& error) {
    return Error(error.kind(), "cannot save to '" + context.database.string() + "': " + error.what(),
                 error.hint().empty() ? "name another file with --db" : error.hint(), error.native_code());
  };
  try {
    return db::Store::open(context.database, db::OpenMode::create);
  } catch (const Error& error) {
    if (!db::is_damage(error)) throw cannot_save(error);
  }
  const std::filesystem::path kept = db::set_aside(context.database);
  if (!kept.empty())
    context.err << "warptune: '" << context.database.string() << "' is damaged: it is kept as '"
                << kept.string() << "', and a new database is started\n";
  try {
    return db::Store::open(context.database, db::OpenMode::create);
  } catch (const Error& error) {
    throw cannot_save(error);
  }
}

spec::TemplatePtr template_for(const std::string& kernel, const db::Store& store) {
  try {
    return spec::find_template(kernel);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found || store.problems(kernel).empty()) throw;
    return nullptr;
  }
}

Table database_table(const db::Store& store, std::int64_t now_unix_s) {
  const db::Contents contents = store.contents();
  const auto age = [&](const std::optional<std::int64_t>& at_unix_s) {
    return at_unix_s ? Cell(age_s(*at_unix_s, now_unix_s)) : Cell();
  };
  return {"database",
          {{"file", "database"},
           {"bytes", "size", Show::bytes},
           {"schema_version", "schema", Show::number},
           {"devices", "GPUs", Show::number},
           {"problems", "problems", Show::number},
           {"runs", "runs", Show::number},
           {"outcomes", "outcomes", Show::number},
           {"newest_age_s", "newest", Show::age_s},
           {"oldest_age_s", "oldest", Show::age_s}},
          {{store.path().string(), contents.bytes, std::int64_t{store.schema_version()}, contents.devices,
            contents.problems, contents.runs, contents.outcomes, age(contents.newest_unix_s),
            age(contents.oldest_unix_s)}}};
}

void report_faults(const db::Store& store, const Context& context) {
  const auto& faults = store.faults();
  if (faults.empty()) return;
  context.err << "warptune: warning: " << faults.size() << " row(s) of '" << store.path().string()
              << "' cannot be read and count as absent, first " << faults.front().table << " row "
              << faults.front().row << ": " << faults.front().what << '\n';
}

}  // namespace warptune::tuner
