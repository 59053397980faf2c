// `warptune check`: are the stored winners still the best here?
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <sstream>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/tuner/tune.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/freshness.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/progress_bar.hpp"
#include "tuner/cli/signals.hpp"
#include "tuner/cli/tune_work.hpp"
#include "tuner/cli/worker_options.hpp"
#include "tuner/loop/recheck.hpp"
#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

constexpr int exit_not_all_hold = 3;

constexpr const char* examples =
    "  warptune check\n"
    "  warptune check dot --types T=half --db h200.db\n"
    "  warptune check --fix          # tune again what no longer holds\n"
    "  warptune check --json || echo 'winners are out of date'\n";

struct Checked {
  db::StoredWinner stored;
  Recheck result;
};

Table table_of(const std::vector<Checked>& checked) {
  Table table{"winners",
              {{"kernel", "kernel"},
               {"types", "types"},
               {"dims", "dims"},
               {"alignment_bytes", "align", Show::number},
               {"policy", "policy"},
               {"standing", "standing"},
               {"time_ns", "now", Show::time_ns},
               {"stored_time_ns", "stored", Show::time_ns},
               {"best_time_ns", "best", Show::time_ns},
               {"slower", "slower", Show::factor},
               {"slower_low", "slower low", Show::number, Place::machines},
               {"slower_high", "slower high", Show::number, Place::machines},
               {"raced", "raced", Show::number, Place::machines},
               {"reason", "reason", Show::text, Place::below},
               {"config", "config", Show::text, Place::below},
               {"best_config", "best config", Show::text, Place::below}},
              {}};
  for (const auto& [stored, result] : checked) {
    const db::ProblemKey& problem = stored.problem;
    const bool another = result.standing == Standing::beaten;
    table.rows.push_back({problem.kernel, types_text(problem.types), named(all_dims(problem)),
                          std::int64_t{stored.winner.alignment_bytes}, problem.policy,
                          to_string(result.standing), optional_cell(result.winner_ns), stored.winner.time_ns,
                          optional_cell(result.best_ns), result.slower,
                          another ? Cell(result.slower_95.low) : Cell(),
                          another ? Cell(result.slower_95.high) : Cell(), std::int64_t{result.raced},
                          result.reason, stored.winner.config, another ? Cell(result.best) : Cell()});
  }
  return table;
}

std::string summary(std::int64_t all, std::map<Standing, std::int64_t>& counts, std::int64_t elsewhere,
                    bool fixing, const Context& context) {
  if (all == 0)
    return fmt::format("No winner of this device to check{}.\n",
                       elsewhere > 0 ? fmt::format("; {} of other devices", elsewhere) : std::string());
  std::string text = fmt::format("{} of {} winners hold", counts[Standing::holds], all);
  for (const Standing standing : {Standing::beaten, Standing::fails, Standing::stale, Standing::disturbed})
    if (counts[standing] > 0) text += fmt::format(", {} {}", counts[standing], to_string(standing));
  if (elsewhere > 0) text += fmt::format("; {} of other devices were left out", elsewhere);
  text += ".\n";
  if (counts[Standing::holds] != all && !fixing)
    text += fmt::format("\nNext: warptune check --fix --db {}\n", shell_word(context.database.string()));
  return text;
}

// The stored winners that a check is about, those of a problem together.
std::vector<db::StoredWinner> winners_to_check(const db::Store& store, const Arguments& arguments,
                                               const spec::TemplatePtr& named_template) {
  const std::string kernel =
      named_template != nullptr ? named_template->name : arguments.value("KERNEL").value_or("");
  const ProblemFilter filter = stated_filter(kernel, named_template.get(), arguments);
  std::vector<db::StoredWinner> winners = store.winners(std::nullopt, filter.kernel);
  std::erase_if(winners, [&](const db::StoredWinner& stored) {
    return stored.origin != db::Origin::measured || !filter.matches(stored.problem);
  });
  return winners;
}

class Checker {
 public:
  Checker(const Context& context, const db::Store& store, const spec::TemplatePtr& named_template,
          const std::atomic<bool>* stop)
      : context_(context), store_(store), freshness_({}, &store), stop_(stop) {
    freshness_.know(named_template);
  }

  // Of one policy. Winners of other devices are left out.
  void check(EvaluatorSource& source, const std::vector<db::StoredWinner>& winners) {
    const spec::DeviceTraits traits = source.device().value().traits;
    ProgressBar bar(context_.err, context_.err_is_terminal);
    TuneProgress progress;
    progress.stage = TuneProgress::Stage::evaluate;
    progress.total = static_cast<std::int64_t>(winners.size());
    std::unique_ptr<Evaluator> evaluator;
    std::optional<db::ProblemKey> open;
    for (const db::StoredWinner& stored : winners) {
      if (stop_->load()) return;
      bar.update(progress);
      ++progress.done;
      if (stored.problem.device != runtime::device_key(traits)) {
        ++elsewhere;
        continue;
      }
      const spec::TemplatePtr spec = freshness_.template_of(stored.problem.kernel);
      if (spec == nullptr || freshness_.template_changed(stored.problem)) {
        Recheck stale;
        stale.standing = Standing::stale;
        stale.reason =
            spec == nullptr ? "its template is not found here" : "tuned with another version of the template";
        checked.push_back({stored, stale});
        continue;
      }
      const spec::Instance instance = runtime::instance_of(stored.problem, spec, traits);
      if (open != stored.problem) {
        evaluator.reset();
        evaluator = source.open(spec, instance.problem());
        open = stored.problem;
      }
      RecheckOptions options;
      options.stop = [this] { return stop_->load(); };
      const std::vector<spec::Config> rivals =
          rivals_of(instance, stored.winner, store_.outcomes(stored.problem), options.runners_up);
      checked.push_back({stored, recheck(*evaluator, stored.winner, rivals, options)});
      if (checked.back().result.standing == Standing::stopped) checked.pop_back();
    }
  }

  const Freshness& freshness() const { return freshness_; }

  std::vector<Checked> checked;
  std::int64_t elsewhere = 0;  // winners of other devices

 private:
  const Context& context_;
  const db::Store& store_;
  Freshness freshness_;
  const std::atomic<bool>* stop_;
};

bool can_be_mended(Standing standing) {
  return standing == Standing::beaten || standing == Standing::fails || standing == Standing::stale;
}

// Tunes the problems anew whose winners do not hold; how many were tuned. What is printed on the way goes to `context`.
std::int64_t fix(const Checker& checker, const Arguments& arguments, const Context& context,
                 const WorkerSettings& workers, const InterruptScope& interrupt) {
  std::map<std::string, std::vector<TuneTask>> by_policy;
  std::int64_t problems = 0;
  const db::ProblemKey* last = nullptr;
  for (const auto& [stored, result] : checker.checked) {
    const spec::TemplatePtr spec = checker.freshness().template_of(stored.problem.kernel);
    if (!can_be_mended(result.standing) || spec == nullptr) continue;
    if (last != nullptr && *last == stored.problem) continue;
    last = &stored.problem;
    spec::Problem problem = runtime::instance_of(stored.problem, spec, spec::DeviceTraits{}).problem();
    by_policy[stored.problem.policy].push_back({spec, std::move(problem), std::nullopt});
    ++problems;
  }
  for (auto& [policy, tasks] : by_policy) {
    TuneOptions options;
    options.strategy = "auto";
    options.policy = policy;
    options.resume = false;  // what was measured before is what no longer holds
    options.command = context.command_line;
    options.stop = interrupt.stop();
    const TuneWork work{context, std::move(tasks), options};
    const EvaluatorSettings settings{policy, !arguments.has("no-cache"), 1, interrupt.stop()};
    const auto open = [&](const DeviceChoice& choice) {
      return open_worker_source(*choice.ordinal, settings, workers, context);
    };
    tune_problems(work, {parse_device(context.device)}, open, true);
    if (interrupt.exit_code() != 0) break;
  }
  return problems;
}

int run(const Arguments& arguments, const Context& context) {
  const DeviceChoice device = parse_device(context.device);
  if (!device.ordinal)
    throw Error(ErrorKind::usage, "winners are checked on a GPU, not on '" + context.device + "'",
                "name one with --device cuda:N");
  const std::string kernel = arguments.value("KERNEL").value_or("");
  const db::Store store = open_for_reading(context);
  const spec::TemplatePtr spec = kernel.empty() ? nullptr : template_for(kernel, store);
  const WorkerSettings workers = worker_settings(arguments);
  std::map<std::string, std::vector<db::StoredWinner>> by_policy;
  for (db::StoredWinner& stored : winners_to_check(store, arguments, spec))
    by_policy[stored.problem.policy].push_back(std::move(stored));

  const InterruptScope interrupt;
  Checker checker(context, store, spec, interrupt.stop());
  try {
    for (const auto& [policy, winners] : by_policy) {
      const EvaluatorSettings settings{policy, !arguments.has("no-cache"), 1, interrupt.stop()};
      checker.check(*open_worker_source(*device.ordinal, settings, workers, context), winners);
    }
  } catch (const Interrupted&) {
    // What was checked is shown.
  }
  std::map<Standing, std::int64_t> counts;
  for (const Checked& each : checker.checked) ++counts[each.result.standing];
  const auto all = static_cast<std::int64_t>(checker.checked.size());
  std::int64_t mended = 0;
  std::ostringstream unheard;
  Document document;
  document.tables.push_back(table_of(checker.checked));
  const bool fixing = arguments.has("fix") && interrupt.exit_code() == 0;
  if (!context.json) context.print(document);
  if (fixing) {
    Context quiet{context.json ? unheard : context.out,
                  context.err,
                  context.json,
                  context.color,
                  context.err_is_terminal,
                  context.database,
                  context.device,
                  context.command_line};
    mended = fix(checker, arguments, quiet, workers, interrupt);
  }
  document.fields = {{"checked", all},
                     {"hold", counts[Standing::holds]},
                     {"tuned_again", mended},
                     {"of_other_devices", checker.elsewhere}};
  if (context.json) {
    context.print(document);
  } else {
    context.out << summary(all, counts, checker.elsewhere, fixing, context);
  }
  report_faults(store, context);
  if (interrupt.exit_code() != 0) return interrupt.exit_code();
  const bool mendable_only = counts[Standing::disturbed] == 0;
  const bool good = counts[Standing::holds] == all || (fixing && mendable_only);
  return good ? 0 : exit_not_all_hold;
}

}  // namespace

Command check_command() {
  using Kind = OptionSpec::Kind;
  std::vector<OptionSpec> options = {
      {"policy", Kind::value, "cold|hot", "one policy only"},
      {"fix", Kind::flag, "", "tune again what no longer holds"},
      {"no-cache", Kind::flag, "", "compile everything, ignoring the cache of binaries"},
  };
  for (OptionSpec& option : worker_options()) options.push_back(std::move(option));
  return {"check",
          "time winners again beside their runners-up: do they still hold?",
          examples,
          {{"KERNEL", "one kernel only", false}},
          problem_options(options),
          run};
}

}  // namespace warptune::tuner
