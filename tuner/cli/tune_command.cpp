// `warptune tune`: from options to problems and devices.
#include <algorithm>
#include <thread>

#include <warptune/base/error.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/tune.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/device_choice.hpp"
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
    "  warptune tune dot --types T=half --dims n=2^24 --no-save --json\n";

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

int run(const Arguments& arguments, const Context& context) {
  const spec::TemplatePtr spec = spec::find_template(*arguments.value("KERNEL"));
  TuneWork work{context, spec, stated_problems(*spec, arguments, false), tune_options(arguments, context),
                !arguments.has("no-save")};
  // Dims and attributes that no device could serve are refused before anything is opened.
  for (const spec::Problem& problem : work.problems) spec::Instance(spec, problem, spec::DeviceTraits{});
  WorkerSettings workers = worker_settings(arguments);
  const std::vector<DeviceChoice> devices = parse_devices(context.device);
  if (workers.compile_workers == 0) workers.compile_workers = cores_for_each(devices.size());

  const InterruptScope interrupt;
  work.options.stop = interrupt.stop();
  const EvaluatorSettings settings{work.options.policy, !arguments.has("no-cache"), work.options.seed,
                                   interrupt.stop()};
  const auto open = [&](const DeviceChoice& device) -> std::unique_ptr<EvaluatorSource> {
    if (device.recording) return open_recorded_source(*device.recording, settings.policy);
    return open_worker_source(*device.ordinal, settings, workers, context);
  };
  std::int64_t failed = 0;
  try {
    failed = tune_problems(work, devices, open, context.device != "cuda:all");
  } catch (const Interrupted&) {
    // Before anything was tried.
  }
  if (interrupt.exit_code() != 0) return interrupt.exit_code();
  if (failed > 0)
    throw Error(ErrorKind::compile,
                std::to_string(failed) + " of " + std::to_string(work.problems.size()) +
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
          {{"KERNEL", "name of a template, or path of its manifest (.toml)"}},
          problem_options(with_worker_options({
              {"strategy", Kind::value, "NAME", "how candidates are proposed (default auto)"},
              {"trials", Kind::value, "N",
               "try at most N configs (default all; of a large space until 400 in a row bring nothing)"},
              {"seconds", Kind::value, "S", "search for at most S seconds"},
              {"gpu-seconds", Kind::value, "S", "search until S seconds of GPU time are spent"},
              {"target", Kind::value, "S", "search until a config takes at most S seconds, e.g. 18.5e-6"},
              {"idle", Kind::value, "N", "search until N trials in a row bring nothing faster"},
              {"cold-start", Kind::flag, "", "do not begin with the winners of other problems"},
              {"without", Kind::value, "PARTS", "leave parts of the models out: features, failures, ..."},
              {"seed", Kind::value, "N", "seed of strategy and race (default 1)"},
              {"policy", Kind::value, "cold|hot",
               "what is timed: operands out of cache, or in it (default cold)"},
              {"fresh", Kind::flag, "", "measure again what the database holds already"},
              {"no-save", Kind::flag, "", "write nothing"},
              {"no-cache", Kind::flag, "", "compile everything, ignoring the cache of binaries"},
          })),
          run};
}

}  // namespace warptune::tuner
