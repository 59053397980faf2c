// Uses one thing of every library of the installed package; returns 0 when all of them answer.
#include <cstdio>
#include <filesystem>
#include <string>

#include <warptune/base/error.hpp>
#include <warptune/db/store.hpp>
#include <warptune/runtime/device.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/strategy.hpp>
#include <warptune/tuner/worker_session.hpp>

// Tuning from inside an application needs the worker's program, and says so where there is none.
static bool misses_its_worker() {
  warptune::tuner::WorkerOptions options;
  options.program = "/nowhere/warptune-worker";
  try {
    const warptune::tuner::WorkerSession session(options);
    return false;
  } catch (const warptune::Error& error) {
    return error.kind() == warptune::ErrorKind::not_found;
  }
}

int main(int argc, char** argv) {
  try {
    const auto kernel = warptune::spec::find_template(argc > 1 ? argv[1] : "dot");
    const auto file = std::filesystem::temp_directory_path() / "warptune_consumer.db";
    std::filesystem::remove(file);
    const auto store = warptune::db::Store::open(file, warptune::db::OpenMode::create);
    std::string why;
    const int devices = warptune::runtime::cuda_device_count(&why);
    std::printf("%s; schema %d; %d devices %s; %zu strategies\n", kernel->name.c_str(),
                store.schema_version(), devices, why.c_str(), warptune::tuner::strategies().size());
    std::filesystem::remove(file);
    return warptune::tuner::strategies().empty() || (devices == 0 && why.empty()) || !misses_its_worker();
  } catch (const warptune::Error& error) {
    std::printf("%s\n", error.full_text().c_str());
    return 1;
  }
}
