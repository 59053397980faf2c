// The options that name problems, --types, --dims, --attributes, --allow: as problems to tune, or as a filter
// over stored ones. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/records.hpp>
#include <warptune/spec/template_spec.hpp>

#include "tuner/cli/command.hpp"

namespace warptune::tuner {

// Declarations for a command that takes problems, followed by `more`.
std::vector<OptionSpec> problem_options(const std::vector<OptionSpec>& more);

// Every problem that the options span, each stating all types and dims of the template; see
// spec::parse_problems for the order. Errors: usage (--allow), bad_input.
std::vector<spec::Problem> stated_problems(const spec::TemplateSpec& spec, const Arguments& arguments,
                                           bool allow_zero);

// Which stored problems a command is about; what is not stated matches all.
struct ProblemFilter {
  std::string kernel;                                     // empty: all
  std::map<std::string, std::vector<std::string>> types;  // CUDA names
  std::map<std::string, std::vector<std::int64_t>> dims;
  std::map<std::string, std::string> attributes;
  std::optional<std::string> numerics;
  std::optional<std::string> policy;
  bool matches(const db::ProblemKey& key) const;
};
// `spec` may be null: names are then not checked. Errors as above.
ProblemFilter stated_filter(const std::string& kernel, const spec::TemplateSpec* spec,
                            const Arguments& arguments);

// Options that state `key` again, for a command line: "--types T=f16 --dims n=16777216", quoted for a shell
// where needed.
std::string problem_arguments(const db::ProblemKey& key);

}  // namespace warptune::tuner
