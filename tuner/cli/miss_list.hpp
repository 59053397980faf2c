// The list of problems that applications asked for and did not find tuned, as the runtime writes it (on_miss = record).
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "tuner/cli/tune_work.hpp"

namespace warptune::tuner {

// The problems of the file's lines, each once: what most lines ask for comes first, then what was asked for first. Lines
// that name no problem that can be tuned are told of on `err`, one line each with their numbers; so is how many ask for
// another policy than `policy`, which are left out. Errors: not_found, io (the file); bad_input (nothing is left of it).
std::vector<TuneTask> read_misses(const std::filesystem::path& file, const std::string& policy,
                                  std::ostream& err);

}  // namespace warptune::tuner
