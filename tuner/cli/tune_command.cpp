// `warptune tune`: problems one after another through the tuning loop.
#include <warptune/base/error.hpp>
#include <warptune/db/store.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/tune.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/device_choice.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/progress_bar.hpp"
#include "tuner/cli/search_options.hpp"
#include "tuner/cli/signals.hpp"
#include "tuner/cli/tune_output.hpp"
#include "tuner/cli/worker_options.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune tune dot --types T=half --dims n=2^24\n"
    "  warptune tune dot --types T=float --dims n=2^10..2^28:x4 --db h200.db\n"
    "  warptune tune dot --types T=half --dims n=2^24 --allow approx,nondeterministic\n"
    "  warptune tune dot --types T=bf16 --dims n=1000003 --strategy random --trials 50 --seed 7\n"
    "  warptune tune dot --types T=half --dims n=2^24 --device recorded:examples/recordings/h200.db\n"
    "  warptune tune dot --types T=half --dims n=2^24 --no-save --json\n";

// Opened before anything is searched, so that hours of work cannot end in a file that was never writable.
std::optional<db::Store> store_of_run(const Context& context, bool save) {
  if (!save) return std::nullopt;
  try {
    return open_for_writing(context);
  } catch (const Error& error) {
    throw Error(error.kind(), error.what(), error.hint() + ", or add --no-save", error.native_code());
  }
}

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

std::unique_ptr<EvaluatorSource> open_source(const Arguments& arguments, const Context& context,
                                             const TuneOptions& options) {
  const DeviceChoice choice = parse_device(context.device);
  if (choice.recording) return open_recorded_source(*choice.recording, options.policy);
  const EvaluatorSettings settings{options.policy, !arguments.has("no-cache"), options.seed, options.stop};
  return open_worker_source(*choice.ordinal, settings, worker_settings(arguments), context);
}

std::vector<OptionSpec> with_worker_options(std::vector<OptionSpec> options) {
  for (OptionSpec& option : worker_options()) options.push_back(std::move(option));
  return options;
}

int tune_problems(const Arguments& arguments, const Context& context, const InterruptScope& interrupt) {
  const spec::TemplatePtr spec = spec::find_template(*arguments.value("KERNEL"));
  const std::vector<spec::Problem> problems = stated_problems(*spec, arguments, false);
  // Dims and attributes that no device could serve are refused before anything is opened.
  for (const spec::Problem& problem : problems) spec::Instance(spec, problem, spec::DeviceTraits{});
  TuneOptions options = tune_options(arguments, context);
  options.stop = interrupt.stop();
  const std::unique_ptr<EvaluatorSource> source = open_source(arguments, context, options);
  options.shared_gpu = source->shares_gpu();
  TuneOutput output(context, arguments.has("no-save"));
  std::optional<db::Store> store;
  std::int64_t failed = 0;
  for (const spec::Problem& problem : problems) {
    const std::unique_ptr<Evaluator> evaluator = source->open(spec, problem);
    if (&problem == &problems.front()) store = store_of_run(context, !arguments.has("no-save"));
    const db::ProblemKey key = runtime::problem_key(evaluator->instance(), options.policy);
    output.start(key, *evaluator, options);
    ProgressBar bar(context.err, context.err_is_terminal);
    const TuneResult result =
        tune(*evaluator, store ? &*store : nullptr, options, [&](const TuneProgress& progress) {
          bar.update(progress);
          output.progress(evaluator->instance().spec(), progress);
        });
    bar.clear();
    output.result(key, result);
    if (result.store_error)
      throw Error(ErrorKind::io, "the winners above were not stored: " + *result.store_error,
                  "the same command goes on from what was stored before");
    if (result.winners.empty() && !result.interrupted) ++failed;
    if (interrupt.exit_code() != 0) return interrupt.exit_code();
  }
  if (failed > 0)
    throw Error(ErrorKind::compile,
                std::to_string(failed) + " of " + std::to_string(problems.size()) +
                    " problems have no winner: every candidate failed",
                "the counts above say why; older winners are untouched");
  return 0;
}

int run(const Arguments& arguments, const Context& context) {
  const InterruptScope interrupt;
  try {
    return tune_problems(arguments, context, interrupt);
  } catch (const Interrupted&) {
    return interrupt.exit_code();  // before anything was tried
  }
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
