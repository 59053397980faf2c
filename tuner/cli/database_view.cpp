#include "tuner/cli/database_view.hpp"

#include <warptune/base/error.hpp>

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

void report_faults(const db::Store& store, const Context& context) {
  const auto& faults = store.faults();
  if (faults.empty()) return;
  context.err << "warptune: warning: " << faults.size() << " row(s) of '" << store.path().string()
              << "' cannot be read and count as absent, first " << faults.front().table << " row "
              << faults.front().row << ": " << faults.front().what << '\n';
}

}  // namespace warptune::tuner
