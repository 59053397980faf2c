// A command of the program as data and a function; the parser knows commands only through this. One file per
// command and one line in commands.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/report/document.hpp"

namespace warptune::tuner {

struct OptionSpec {
  enum class Kind {
    flag,
    value,        // the last one counts
    values,       // may be repeated
    assignments,  // NAME=VALUE, several after one option, and repeated
  };
  std::string name;  // without dashes
  Kind kind = Kind::value;
  std::string placeholder;  // "NAME=VALUE"; empty for a flag
  std::string help;
  char letter = 0;  // a short form, "-o"; 0: none
};

struct PositionalSpec {
  std::string name;
  std::string help;
  bool required = true;
  bool repeated = false;  // the last one may be given any number of times
};

// What was given on the command line, by name.
class Arguments {
 public:
  void set(const std::string& name, std::vector<std::string> values) { values_[name] = std::move(values); }
  bool has(const std::string& name) const { return values_.contains(name); }
  std::optional<std::string> value(const std::string& name) const;
  std::vector<std::string> values(const std::string& name) const;
  // Whole number >= 0, or a number of seconds >= 0. Error usage naming the option and the text.
  std::optional<std::int64_t> count(const std::string& name) const;
  std::optional<double> seconds(const std::string& name) const;
  // One of `allowed`. Error usage.
  std::string choice(const std::string& name, const std::vector<std::string>& allowed,
                     const std::string& otherwise) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

// Streams and global options.
struct Context {
  std::ostream& out;
  std::ostream& err;
  bool json = false;
  bool color = false;
  bool err_is_terminal = false;
  std::filesystem::path database = "tuning.db";
  std::string device{};        // as given; empty: not given
  std::string command_line{};  // for the records

  // The document as a table, or as JSON when asked for.
  void print(const Document& document) const;
};

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view examples;  // whole lines
  std::vector<PositionalSpec> positionals;
  std::vector<OptionSpec> options;
  // The exit code. Errors: Error of kind usage for wrong usage (exit 2), any other Error (exit 1).
  int (*run)(const Arguments& arguments, const Context& context) = nullptr;
};

const std::vector<Command>& commands();

Command tune_command();
Command show_command();
Command explain_command();
Command list_command();
Command export_command();
Command devices_command();
Command bench_command();
Command failures_command();
Command diff_command();
Command report_command();
Command bundle_command();
Command merge_command();
Command import_command();
Command prune_command();
Command check_command();

}  // namespace warptune::tuner
