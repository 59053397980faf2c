// The real program against the worker program of the tests, in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <warptune/db/store.hpp>

#include "tests/tuner/cli/program.hpp"
#include "tests/tuner/worker/faulty_template.hpp"

namespace warptune::test {

using Json = nlohmann::json;

class TuningProgram : public ::testing::Test {
 protected:
  TuningProgram() {
    ::setenv("WARPTUNE_WORKER", WARPTUNE_TEST_WORKER, 1);
    ::setenv("WARPTUNE_TEST_FOLDER", (folder_ / "").c_str(), 1);
    ::setenv("WARPTUNE_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }

  // Words of a `tune --json` of the faulty template with these kinds, the default first.
  std::vector<std::string> tune(const std::string& kinds, const std::vector<std::string>& more = {}) const;
  ProgramResult run(const std::vector<std::string>& words) const { return run_program(words, folder_ / "."); }
  db::Store open() const { return db::Store::open(folder_ / "tuning.db", db::OpenMode::read_only); }
  // What was stored, by config: "right 3" -> "ok". Configs stored more than once count with their newest outcome.
  std::map<std::string, std::string> stored() const;

  TemporaryFolder folder_;
};

// Events of one kind in what `tune --json` wrote; a last line that was cut short is left out.
std::vector<Json> events(const std::string& out, const std::string& kind);
// "right 3".
std::string config_name(const Json& event);
// Processes of the test's worker program that serve this folder.
std::vector<int> workers_of(const std::filesystem::path& folder);
// Waits up to ten seconds for none to be left.
bool no_worker_stays(const std::filesystem::path& folder);

}  // namespace warptune::test
