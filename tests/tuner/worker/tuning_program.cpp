#include "tests/tuner/worker/tuning_program.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

namespace warptune::test {
namespace {

namespace fs = std::filesystem;

bool serves(const fs::path& process, const fs::path& folder) {
  std::error_code code;
  if (fs::read_symlink(process / "exe", code) != fs::path(WARPTUNE_TEST_WORKER) || code) return false;
  std::ifstream file(process / "environ", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str().find("WARPTUNE_TEST_FOLDER=" + (folder / "").string()) != std::string::npos;
}

}  // namespace

std::vector<std::string> TuningProgram::tune(const std::string& kinds,
                                             const std::vector<std::string>& more) const {
  write_faulty_template(folder_ / "", kinds);
  std::vector<std::string> words = {"tune",   "faulty.toml", "--types",    "T=float",    "--dims",
                                    "n=1000", "--json",      "--strategy", "exhaustive", "--compile-workers",
                                    "2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::map<std::string, std::string> TuningProgram::stored() const {
  std::map<std::string, std::string> found;
  open().visit_runs({}, db::RunParts::all, [&](const db::StoredRun& run) {
    for (const db::OutcomeRecord& outcome : run.outcomes)
      found[std::get<std::string>(outcome.config.at("KIND")) + " " +
            std::to_string(std::get<std::int64_t>(outcome.config.at("VARIANT")))] = outcome.status;
  });
  return found;
}

std::vector<Json> events(const std::string& out, const std::string& kind) {
  std::vector<Json> found;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) {
    Json event = Json::parse(line, nullptr, false);
    if (!event.is_discarded() && event.value("event", "") == kind) found.push_back(std::move(event));
  }
  return found;
}

std::string config_name(const Json& event) {
  const Json& config = event.at("config");
  return config.at("KIND").get<std::string>() + " " + std::to_string(config.at("VARIANT").get<int>());
}

std::vector<int> workers_of(const fs::path& folder) {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos && serves(entry.path(), folder))
      found.push_back(std::stoi(name));
  }
  return found;
}

bool no_worker_stays(const fs::path& folder) {
  for (int tries = 0; tries < 500; ++tries) {
    if (workers_of(folder).empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace warptune::test
