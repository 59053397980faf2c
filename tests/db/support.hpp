// Sample records, temporary folders and child processes for the tests of db.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <warptune/base/temporary_folder.hpp>
#include <warptune/db/store.hpp>

namespace warptune::db::test {

// Removed with its content, even where a test took the right to write from it. Others may enter and read it.
class TemporaryFolder : public warptune::TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::filesystem::path operator/(const std::string& name) const { return path() / name; }
  // Names of what lies in it, sorted.
  std::vector<std::string> names() const;
};

DeviceKey sample_device();
ProblemKey sample_problem(std::int64_t n = 16777216);
Toolchain sample_toolchain();
RunInfo sample_run();
RunEnd sample_end();
NamedValues sample_config(std::int64_t threads = 256);
OutcomeRecord sample_outcome(std::int64_t threads = 256);
WinnerRecord sample_winner(std::int64_t threads = 256);

ReferenceTime sample_reference_time(std::int64_t n = 16777216);

// At twice n: the sample's winner and another config.
std::vector<NeighbourTime> sample_neighbours(std::int64_t n = 16777216);

// A file with one problem, two outcomes, one winner and its two times at a neighbour.
void make_sample(const std::filesystem::path& file);

// Runs `body` in a child process, as user 65534 when this one is root. Returns what() of an exception that
// left it, "signal N" for a child that died, else nothing. No gtest macros in `body`.
std::string run_unprivileged(const std::function<void()>& body);
// Throws when `condition` is false; for use in children.
void require(bool condition, const std::string& what);

}  // namespace warptune::db::test
