// `warptune tune`: from options to problems and devices.
#include <fmt/format.h>
#include <algorithm>
#include <thread>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/tune.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/miss_list.hpp"
#include "tuner/cli/operand_files.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/search_options.hpp"
#include "tuner/cli/signals.hpp"
#include "tuner/cli/tune_work.hpp"
#include "tuner/cli/worker_options.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune tune dot --types T=half --dims n=2^24\n"
    "  warptune tune dot --types T=float --dims n=2^10..2^28:x4 --db h200.db\n"
    "  warptune tune dot --types T=half --dims n=2^24 --allow approx,nondeterministic\n"
    "  warptune tune dot --types T=bf16 --dims n=1000003 --strategy random --trials 50 --seed 7\n"
    "  warptune tune dot --types T=half --dims n=2^24 --device recorded:examples/recordings/h200.db\n"
    "  warptune tune dot --types T=half --dims n=2^10..2^28:x4 --device cuda:all\n"
    "  warptune tune dot --types T=half --dims n=2^24 --no-save --json\n"
    "  warptune tune embedding --types T=half I=int --dims v=1024 n=4096 h=512 --operand ids=ids.bin\n"
    "  warptune tune --misses tuning.db.misses --seconds 60\n";

constexpr int exit_of_time_limit = 124;  // as that of timeout(1)

TuneOptions tune_options(const Arguments& arguments, const Context& context) {
  TuneOptions options;
  options.strategy = find_strategy(arguments.value("strategy").value_or("auto")).name;
  options.seed = static_cast<std::uint64_t>(arguments.count("seed").value_or(1));
  options.budget.trials = arguments.count("trials").value_or(0);
  options.budget.seconds = arguments.seconds("seconds").value_or(0);
  options.budget.gpu_seconds = arguments.seconds("gpu-seconds").value_or(0);
  options.budget.target_ns = 1e9 * arguments.seconds("target").value_or(0);
  options.budget.idle_trials = arguments.count("idle").value_or(0);
  options.warm_start = !arguments.has("cold-start");
  if (arguments.has("without")) options.parts = parts_without(*arguments.value("without"));
  options.policy = arguments.choice("policy", {"cold", "hot"}, "cold");
  options.resume = !arguments.has("fresh");
  options.neighbours = !arguments.has("no-neighbours");
  options.command = context.command_line;
  return options;
}

int cores_for_each(std::size_t devices) {
  return static_cast<int>(
      std::max<std::size_t>(1, std::thread::hardware_concurrency() / std::max<std::size_t>(1, devices)));
}

std::vector<OptionSpec> with_worker_options(std::vector<OptionSpec> options) {
  for (OptionSpec& option : worker_options()) options.push_back(std::move(option));
  return options;
}

std::vector<TuneTask> stated_tasks(const Arguments& arguments) {
  if (!arguments.has("KERNEL"))
    throw Error(ErrorKind::usage, "tune takes a KERNEL, or --misses FILE", "see warptune tune --help");
  const spec::TemplatePtr spec = spec::find_template(*arguments.value("KERNEL"));
  std::vector<TuneTask> tasks;
  for (spec::Problem& problem : stated_problems(*spec, arguments, false)) {
    // Dims and attributes that no device could serve are refused before anything is opened.
    spec::Instance(spec, problem, spec::DeviceTraits{});
    tasks.push_back({spec, std::move(problem), std::nullopt});
  }
  return tasks;
}

std::vector<TuneTask> missed_tasks(const Arguments& arguments, const std::string& policy,
                                   const Context& context) {
  for (const char* other : {"KERNEL", "types", "dims", "attributes", "allow"})
    if (arguments.has(other))
      throw Error(ErrorKind::usage, "--misses FILE names the problems; '" + std::string(other) + "' does too",
                  "leave one of them out");
  return read_misses(*arguments.value("misses"), policy, context.err);
}

// What became of the list, and what to do with the file.
void report_misses(const TuneReport& report, const std::string& file, const Context& context) {
  const auto line = [&](std::int64_t count, const std::string& what) {
    if (count > 0) context.err << "warptune: " << count << what << '\n';
  };
  line(report.already_tuned, " of the problems were tuned before and left out (--fresh tunes them again)");
  line(report.of_other_devices, " of the problems were asked for on other GPUs and left out");
  context.err << "warptune: what was tuned is served when the database is opened next; if nothing was left "
                 "out for another "
                 "GPU, the list can go: rm "
              << shell_word(file) << std::endl;
}

// Operands have the size of one problem, and a recording runs nothing over them.
void require_one_problem(const std::vector<TuneTask>& tasks, const std::vector<DeviceChoice>& devices) {
  if (tasks.size() != 1)
    throw Error(
        ErrorKind::usage,
        "--operand brings the values of one problem, and " + std::to_string(tasks.size()) + " are stated",
        "tune them one by one");
  if (!devices.front().ordinal)
    throw Error(ErrorKind::usage, "--operand is for a GPU, and a recording runs nothing",
                "use --device cuda:N");
}

int run(const Arguments& arguments, const Context& context) {
  const bool of_misses = arguments.has("misses");
  TuneOptions options = tune_options(arguments, context);
  std::vector<TuneTask> tasks =
      of_misses ? missed_tasks(arguments, options.policy, context) : stated_tasks(arguments);
  TuneWork work{context, std::move(tasks), std::move(options), !arguments.has("no-save"),
                of_misses && !arguments.has("fresh")};
  WorkerSettings workers = worker_settings(arguments);
  const std::vector<DeviceChoice> devices = parse_devices(context.device);
  if (workers.compile_workers == 0) workers.compile_workers = cores_for_each(devices.size());

  InterruptScope interrupt;
  const double run_limit_s = arguments.seconds("run-limit").value_or(0);
  interrupt.stop_after(run_limit_s);
  work.options.stop = interrupt.stop();
  const OperandFiles operands(arguments);
  const EvaluatorSettings settings{work.options.policy, !arguments.has("no-cache"),      work.options.seed,
                                   interrupt.stop(),    !arguments.has("no-early-stop"), operands.operands()};
  if (!settings.operands.empty()) require_one_problem(work.tasks, devices);
  const auto open = [&](const DeviceChoice& device) -> std::unique_ptr<EvaluatorSource> {
    if (device.recording) return open_recorded_source(*device.recording, settings.policy);
    return open_worker_source(*device.ordinal, settings, workers, context);
  };
  TuneReport report;
  try {
    report = tune_problems(work, devices, open, context.device != "cuda:all");
  } catch (const Interrupted&) {
    report.interrupted = true;  // before anything was tried
  }
  if (interrupt.exit_code() != 0) return interrupt.exit_code();
  if (interrupt.ran_out_of_time() && report.interrupted) {
    context.err << fmt::format(
        "warptune: stopped after --run-limit {:g} s; what was measured is stored, and the same "
        "command goes on from there\n",
        run_limit_s);
    return exit_of_time_limit;
  }
  if (of_misses) report_misses(report, *arguments.value("misses"), context);
  if (report.without_winner > 0)
    throw Error(ErrorKind::compile,
                std::to_string(report.without_winner) + " of " + std::to_string(work.tasks.size()) +
                    " problems have no winner: every candidate failed",
                "the counts above say why; older winners are untouched");
  return 0;
}

}  // namespace

Command tune_command() {
  using Kind = OptionSpec::Kind;
  return {"tune",
          "find the fastest config of a kernel for some problems",
          examples,
          {{"KERNEL", "name of a template, or path of its manifest (.toml)", false}},
          problem_options(with_worker_options({
              {"misses", Kind::value, "FILE",
               "tune what applications asked for and did not find (on_miss = record), most asked first"},
              {"strategy", Kind::value, "NAME", "how candidates are proposed (default auto)"},
              {"run-limit", Kind::value, "S",
               "stop after S seconds, deciding or not, as Ctrl-C does; exit code 124 (default none)"},
              {"trials", Kind::value, "N",
               "try at most N configs (default all; of a large space until 400 in a row bring nothing)"},
              {"seconds", Kind::value, "S", "search for at most S seconds"},
              {"gpu-seconds", Kind::value, "S", "search until S seconds of GPU time are spent"},
              {"target", Kind::value, "S", "search until a config takes at most S seconds, e.g. 18.5e-6"},
              {"idle", Kind::value, "N", "search until N trials in a row bring nothing faster"},
              {"cold-start", Kind::flag, "", "do not begin with the winners of other problems"},
              {"no-early-stop", Kind::flag, "", "time also what is much slower than the best at length"},
              {"without", Kind::value, "PARTS", "leave parts of the models out: features, failures, ..."},
              {"seed", Kind::value, "N", "seed of strategy and race (default 1)"},
              {"policy", Kind::value, "cold|hot",
               "what is timed: operands out of cache, or in it (default cold)"},
              {"operand", Kind::values, "NAME=FILE",
               "verify and time over your own values too: raw bytes of a buffer, as the kernel reads it"},
              {"fresh", Kind::flag, "", "measure again what the database holds already"},
              {"no-neighbours", Kind::flag, "",
               "do not time the finalists at neighbouring problems too (free dims at 2, 1/2, 3/2, 3/4)"},
              {"no-save", Kind::flag, "", "write nothing"},
              {"no-cache", Kind::flag, "", "compile everything, ignoring the cache of binaries"},
          })),
          run};
}

}  // namespace warptune::tuner
