#include "tests/tuner/cli/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/tune.hpp>

#include "tests/tuner/support/fake_evaluator.hpp"
#include "tests/tuner/support/mini_template.hpp"

namespace warptune::test {

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

namespace {

// The one that was built, or another: where the tests run elsewhere than they were built.
const char* program() {
  const char* elsewhere = std::getenv("WARPTUNE_PROGRAM");
  return elsewhere != nullptr ? elsewhere : WARPTUNE_PROGRAM;
}

}  // namespace

int start_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                  bool as_ordinary_user) {
  std::vector<const char*> argv = {program()};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  const int process = fork();
  if (process < 0) throw std::runtime_error("fork failed");
  if (process > 0) return process;
  const auto redirect = [](const char* name, int descriptor) {
    const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, descriptor);
    close(file);
  };
  if (chdir(folder.c_str()) != 0) _exit(126);
  redirect("out", STDOUT_FILENO);
  redirect("err", STDERR_FILENO);
  constexpr uid_t nobody = 65534;
  if (as_ordinary_user && geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(127);
  execv(program(), const_cast<char* const*>(argv.data()));
  _exit(127);
}

int wait_for(int process) {
  int status = 0;
  if (waitpid(process, &status, 0) != process) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ProgramResult run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          bool as_ordinary_user) {
  ProgramResult result;
  result.code = wait_for(start_program(arguments, folder, as_ordinary_user));
  result.out = content(folder / "out");
  result.err = content(folder / "err");
  return result;
}

void make_recording(const std::filesystem::path& file) {
  db::Store store = db::Store::open(file, db::OpenMode::create);
  const spec::TemplatePtr dot = spec::find_template("dot");
  const std::size_t threads = dot->tunable_index("NUM_THREADS"), pack = dot->tunable_index("PACK");
  for (const std::int64_t n : {std::int64_t{1} << 20, std::int64_t{1} << 22}) {
    spec::Problem problem;
    problem.types.emplace("T", "__half");
    problem.dims.emplace("n", n);
    FakeEvaluator evaluator(spec::Instance(dot, problem, h200()), [&](const spec::Config& config) {
      FakeEvaluator::Script script;
      const double distance = std::log2(static_cast<double>(config.values[threads].as_integer()) / 128);
      script.time_ns =
          static_cast<double>(n) / 256 *
          (1 + 0.2 * std::abs(distance) + 2 / static_cast<double>(config.values[pack].as_integer()));
      if (config.values[threads].as_integer() == 32) script.status = tuner::OutcomeStatus::launch_error;
      if (script.status != tuner::OutcomeStatus::ok) script.reason = "planted";
      return script;
    });
    tuner::TuneOptions options;
    options.strategy = "random";
    options.budget.trials = 40;
    tuner::tune(evaluator, &store, options);
  }
}

}  // namespace warptune::test
