// Runs the real program, and makes the recording that it replays.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/tuner/support/temporary_folder.hpp"

namespace warptune::test {

struct ProgramResult {
  int code = -1;  // 128 + signal when it died of one
  std::string out, err;
};

// `folder`: working folder. Standard output and error are no terminals. `as_ordinary_user`: root becomes
// nobody first, for whom write permissions count; code 127 where the program cannot be started by such a
// user.
ProgramResult run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          bool as_ordinary_user = false);

// Starts it and returns its process id; output goes to `out` and `err` in the folder.
int start_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                  bool as_ordinary_user = false);
// Waits for it. The exit code, 128 + signal when it died of one.
int wait_for(int process);

std::string content(const std::filesystem::path& file);
// Lines in a text; a final line end ends a line.
std::vector<std::string> lines(const std::string& text);

// A database with measurements of the built-in dot for T=half at n = 2^20 and 2^22 on an "H200", 40 configs
// each, made by the tuning loop from a formula: 128 threads with PACK 8 win.
void make_recording(const std::filesystem::path& file);

}  // namespace warptune::test
