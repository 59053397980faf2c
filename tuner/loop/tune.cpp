#include <warptune/tuner/tune.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <unordered_map>

#include <warptune/base/error.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/loop/decide.hpp"
#include "tuner/loop/exclusions.hpp"
#include "tuner/loop/neighbour_configs.hpp"
#include "tuner/loop/neighbours.hpp"
#include "tuner/loop/outcome_record.hpp"
#include "tuner/loop/verdict.hpp"
#include "tuner/loop/warm_start.hpp"
#include "tuner/measure/pooled_spread.hpp"
#include "tuner/search/template_space.hpp"

namespace warptune::tuner {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Spaces up to this many points are counted; the constraints of larger ones make counting slower than tuning.
constexpr std::int64_t counted_size = std::int64_t{1} << 24;
// Proposals asked for at once, so that compiling can be spread over all cores. Under a time limit fewer: what
// is compiled and never tried is lost.
constexpr std::size_t batch_size = 4096;
constexpr std::size_t timed_batch_size = 64;
constexpr std::size_t learning_batch_size = 16;
constexpr std::size_t most_guesses = 6, most_wider_defaults = 3;
// What timing at neighbouring problems may take: a share of the run so far, and what it may in any case.
constexpr double share_around = 0.15, least_around_s = 4;
// Without any limit: spaces of up to so many configs are tried whole, larger ones until so many trials bring nothing.
constexpr std::int64_t tried_whole = 4096, usual_idle_trials = 400;
// Candidates compiled between two looks at the stop flag: a few seconds.
constexpr std::size_t prepare_size = 192;

class Session {
 public:
  Session(Evaluator& evaluator, db::Store* store, const TuneOptions& options,
          const std::function<void(const TuneProgress&)>& listener)
      : evaluator_(evaluator),
        spec_(evaluator.instance().spec()),
        store_(store),
        options_(options),
        listener_(listener),
        space_(evaluator.instance()),
        method_(find_strategy(options.strategy)),
        budget_(options.budget) {}

  TuneResult run() {
    refuse_empty_space();
    if (space_.cartesian_size() <= counted_size) result_.end.space_size = space_.configs().count();
    limit_large_search();
    mark();
    begin();
    strategy_ = method_.make(space_, strategy_options());
    std::int64_t raced = 0;
    bool decided = false;
    try {
      if (!stopped()) try_default();
      search();
      if (!stopped()) raced = decide_winners(decided);
      if (decided && options_.neighbours) look_around();
    } catch (const Interrupted&) {
      result_.ended = "stopped";
      decided = false;
    }
    result_.interrupted = !decided;
    finish();
    result_.verdict = verdict(evaluator_.instance(), options_, result_, raced, evaluator_.origin());
    report(TuneProgress::Stage::done, trials_, nullptr);
    return std::move(result_);
  }

 private:
  StrategyOptions strategy_options() const {
    StrategyOptions options;
    options.seed = options_.seed;
    options.parts = options_.parts;
    if (store_ != nullptr && options_.warm_start && method_.adaptive)
      options.guesses = guesses_nearby(*store_, runtime::problem_key(evaluator_.instance(), options_.policy),
                                       space_, most_guesses);
    if (options_.parts.widths && method_.adaptive)
      for (Point& wider : wider_defaults(space_, most_wider_defaults))
        options.guesses.push_back(std::move(wider));
    return options;
  }

  // Nobody asked for all of a space that may take days.
  void limit_large_search() {
    const bool limited = budget_.trials > 0 || budget_.seconds > 0 || budget_.gpu_seconds > 0 ||
                         budget_.target_ns > 0 || budget_.idle_trials > 0;
    const std::int64_t size = result_.end.space_size;
    if (!limited && method_.adaptive && (size == 0 || size > tried_whole))
      budget_.idle_trials = usual_idle_trials;
  }

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  // Why the search must end; empty: it goes on.
  const char* limit_reached() const {
    if (stopped()) return "stopped";
    if (budget_.trials > 0 && trials_ >= budget_.trials) return "trials";
    if (budget_.seconds > 0 && seconds_since(start_) >= budget_.seconds) return "seconds";
    if (budget_.gpu_seconds > 0 && evaluator_.gpu_seconds() >= budget_.gpu_seconds) return "gpu_seconds";
    if (budget_.target_ns > 0 && progress_.best_ns && *progress_.best_ns <= budget_.target_ns)
      return "target";
    if (budget_.idle_trials > 0 && trials_ - improved_at_ >= budget_.idle_trials) return "idle";
    return "";
  }
  bool over() const { return *limit_reached() != '\0'; }

  void refuse_empty_space() const {
    bool empty = true;
    space_.for_each([&](const Point&) { return empty = false; });
    if (!empty) return;
    const std::string counts = exclusions_text(evaluator_.instance());
    throw Error(ErrorKind::bad_input,
                "no config of '" + spec_.name + "' meets its constraints for " +
                    evaluator_.instance().problem().text(),
                counts.empty() ? "relax a constraint or allow more classes" : "excluded: " + counts);
  }

  void begin() {
    if (store_ == nullptr) return;
    const db::ProblemKey key = runtime::problem_key(evaluator_.instance(), options_.policy);
    db::RunInfo info;
    info.toolchain = evaluator_.toolchain();
    info.origin = evaluator_.origin();
    info.strategy = options_.strategy;
    info.seed = options_.seed;
    info.command = options_.command;
    info.template_parts = spec_.hash_parts;
    info.marks = marks_;
    info.started_unix_s =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    const auto before = Clock::now();
    if (options_.resume && !evaluator_.has_callers_operands()) {
      for (const db::StoredOutcome& stored : store_->outcomes(key)) {
        if (stored.toolchain != info.toolchain || stored.origin != info.origin) continue;
        if (is_over_callers_operands(stored.run)) continue;
        std::optional<Outcome> outcome = from_record(spec_, stored.outcome);
        if (outcome && space_.configs().contains(outcome->config))
          stored_.emplace(outcome->config, std::move(*outcome));
      }
    }
    run_ = store_->begin_run(key, info);
    store_s_ += seconds_since(before);
  }

  // Whose outcomes say nothing of operands that are made up.
  bool is_over_callers_operands(std::int64_t run) {
    const auto [known, is_new] = over_callers_operands_.try_emplace(run, false);
    if (is_new)
      if (const auto stored = store_->run(run, db::RunParts::head))
        known->second = stored->is_marked("callers_operands");
    return known->second;
  }

  // Returns when the outcome was tried, in the record's terms.
  std::int64_t save(const Outcome& outcome) {
    if (store_ == nullptr) return 0;
    const auto before = Clock::now();
    const db::OutcomeRecord record = to_record(spec_, outcome);
    try {
      store_->add_outcome(run_, record);
    } catch (const Error& error) {
      go_on_without_store(error);
    }
    store_s_ += seconds_since(before);
    return record.at_unix_ms;
  }

  // A full disk, or a run that somebody removed, must not cost what the GPU found: the search goes on, and the caller hears of
  // it with the winners.
  void go_on_without_store(const Error& error) {
    result_.store_error = error.full_text();
    store_ = nullptr;
  }

  // A template whose default does not meet its own constraints here has a record that says so.
  void try_default() {
    const spec::Config& config = spec_.default_config;
    if (const auto exclusion = evaluator_.instance().excluded(config)) {
      Outcome outcome;
      outcome.config = config;
      outcome.status = OutcomeStatus::excluded;
      outcome.reason = exclusion->why;
      save(outcome);
      take(outcome);
      return;
    }
    prepare({config});
    evaluate(config);
  }

  void search() {
    while (!over()) {
      std::size_t wanted = most_at_once();
      if (budget_.trials > 0) wanted = std::min(wanted, static_cast<std::size_t>(budget_.trials - trials_));
      std::vector<spec::Config> batch;
      for (const Point& point : strategy_->ask(wanted)) batch.push_back(space_.config(point));
      if (batch.empty()) {
        result_.ended = "space";
        return;
      }
      prepare(batch);
      for (const spec::Config& config : batch) {
        if (over()) break;
        evaluate(config);
      }
    }
    result_.ended = limit_reached();
  }

  // A strategy that learns gets few at first, when an outcome teaches most.
  std::size_t most_at_once() const {
    if (method_.adaptive)
      return std::clamp<std::size_t>(static_cast<std::size_t>(trials_) / 8, 1, learning_batch_size);
    return budget_.seconds > 0 || budget_.gpu_seconds > 0 ? timed_batch_size : batch_size;
  }

  void prepare(const std::vector<spec::Config>& batch) {
    std::vector<spec::Config> missing;
    std::copy_if(batch.begin(), batch.end(), std::back_inserter(missing),
                 [&](const spec::Config& config) { return !stored_.contains(config); });
    for (std::size_t first = 0; first < missing.size() && !over(); first += prepare_size) {
      const std::size_t count = std::min(prepare_size, missing.size() - first);
      evaluator_.prepare(std::span(missing).subspan(first, count), [&](std::size_t done, std::size_t total) {
        const std::size_t rest = missing.size() - first - count;
        progress_.total = static_cast<std::int64_t>(first + total + rest);
        report(TuneProgress::Stage::compile, static_cast<std::int64_t>(first + done), nullptr);
      });
    }
  }

  void evaluate(const spec::Config& config) {
    const auto stored = stored_.find(config);
    if (stored != stored_.end()) {
      ++result_.reused;
      take(stored->second);
      stored_.erase(stored);
      return;
    }
    Outcome outcome = evaluator_.evaluate(config);
    outcome.tried_unix_ms = save(outcome);
    take(outcome);
  }

  void take(const Outcome& outcome) {
    ++trials_;
    if (outcome.status == OutcomeStatus::ok) {
      ++result_.counts[OutcomeStatus::ok];
      const std::optional<double> time_ns = outcome.time_ns();
      if (time_ns && (!progress_.best_ns || *time_ns < *progress_.best_ns)) {
        progress_.best_ns = time_ns;
        improved_at_ = trials_;
      }
      candidates_.push_back(outcome);
    } else {
      count_failure(outcome);
    }
    // A default outside the space is none of the strategy's business.
    if (space_.configs().contains(outcome.config)) {
      if (options_.parts.compiled) space_.know(space_.point(outcome.config), outcome.traits);
      strategy_->tell(observation(outcome));
    }
    progress_.total = std::max(trials_, expected_trials());
    report(TuneProgress::Stage::evaluate, trials_, &outcome);
  }

  void count_failure(const Outcome& outcome) {
    ++result_.counts[outcome.status];
    result_.examples.try_emplace(outcome.status,
                                 spec::to_text(spec_, outcome.config) + ": " + outcome.reason);
  }

  Observation observation(const Outcome& outcome) {
    Observation result{space_.point(outcome.config), std::nullopt, 0};
    if (outcome.status == OutcomeStatus::ok) result.time = outcome.time_ns();
    if (!result.time) return result;
    spread_.add(outcome.blocks_ns);
    result.uncertainty = spread_.relative_error(outcome.blocks_ns);
    return result;
  }

  // 0: unknown.
  std::int64_t expected_trials() const {
    const std::int64_t size = result_.end.space_size;
    const std::int64_t most = budget_.trials;
    if (size == 0 || most == 0) return std::max(size, most);
    return std::min(size, most);
  }

  // Returns how many candidates raced, and whether it came to an end. What other runs of this problem found
  // to be ok takes part.
  std::int64_t decide_winners(bool& decided) {
    for (const auto& [config, outcome] : stored_)
      if (outcome.status == OutcomeStatus::ok) candidates_.push_back(outcome);
    std::erase_if(candidates_, [](const Outcome& outcome) { return !outcome.time_ns(); });
    // Stored outcomes come in no particular order; ties must not depend on it.
    std::sort(candidates_.begin(), candidates_.end(), [&](const Outcome& a, const Outcome& b) {
      return spec::to_text(spec_, a.config) < spec::to_text(spec_, b.config);
    });
    decided = candidates_.empty();
    if (decided) return 0;
    const auto before = Clock::now();
    measure_before_race_s_ = evaluator_.phase_seconds();
    DecideOptions options;
    options.seed = options_.seed;
    options.stop = [this] { return stopped(); };
    std::int64_t blocks = 0;
    options.block_done = [&] {
      progress_.total = 0;
      report(TuneProgress::Stage::race, ++blocks, nullptr);
    };
    Decision decision = decide_among_candidates(options);
    race_s_ = seconds_since(before);
    if (decision.stopped) return 0;
    decided = true;
    for (const Outcome& outcome : decision.raced) save(outcome);
    result_.winners = std::move(decision.winners);
    result_.end.clocks = std::move(decision.clocks);
    for (db::WinnerRecord& winner : result_.winners) {
      winner.complete = true;
      if (options_.shared_gpu) withdraw_certificate(winner);
    }
    return decision.raced_widest;
  }

  void look_around() {
    const auto before = Clock::now();
    NeighbourOptions options;
    options.seconds = std::max(least_around_s, share_around * seconds_since(start_));
    options.seed = options_.seed;
    options.stop = [this] { return stopped(); };
    const spec::Instance& tuned = evaluator_.instance();
    const std::vector<spec::Instance> neighbours = neighbours_of(tuned);
    NeighbourTimes around = time_neighbours(
        evaluator_, neighbours,
        configs_for_neighbours(tuned, neighbours, options_.policy, result_.winners, candidates_, store_),
        options);
    result_.neighbours = std::move(around.times);
    result_.neighbours_failure = std::move(around.failure);
    around_gpu_s_ = around.gpu_s;
    if (!result_.neighbours.empty()) around_s_ = seconds_since(before);
  }

  // A candidate that fails when it is timed again takes its outcome back; the race begins anew without it.
  Decision decide_among_candidates(const DecideOptions& options) {
    for (;;) {
      try {
        return decide(evaluator_, candidates_, options);
      } catch (const CandidateFailed& failure) {
        const Outcome& outcome = failure.outcome();
        const auto failed = [&](const Outcome& candidate) { return candidate.config == outcome.config; };
        if (std::erase_if(candidates_, failed) == 0) throw;
        if (--result_.counts[OutcomeStatus::ok] == 0) result_.counts.erase(OutcomeStatus::ok);
        count_failure(outcome);
        save(outcome);
      }
    }
  }

  void finish() {
    result_.end.complete = !result_.interrupted;
    result_.end.gpu_s = evaluator_.gpu_seconds() + around_gpu_s_;
    // What the evaluator counted during the race is in the race's own figure.
    result_.end.phase_s = race_s_ > 0 ? measure_before_race_s_ : evaluator_.phase_seconds();
    result_.end.phase_s["race"] = race_s_;
    result_.end.phase_s["store"] = store_s_;
    if (around_s_ > 0) result_.end.phase_s["neighbours"] = around_s_;
    result_.end.wall_s = seconds_since(start_);
    result_.end.clocks.insert(marks_.begin(), marks_.end());
    if (store_ == nullptr) return;
    const auto before = Clock::now();
    try {
      if (!result_.neighbours.empty()) store_->add_neighbour_times(run_, result_.neighbours);
      // A recording says nothing of what runs on the device.
      std::function<bool(const db::NamedValues&)> stays;
      if (evaluator_.origin() == db::Origin::measured)
        stays = [this](const db::NamedValues& config) { return may_run(evaluator_.instance(), config); };
      store_->end_run(run_, result_.end, result_.winners, stays);
    } catch (const Error& error) {
      go_on_without_store(error);
    }
    result_.end.phase_s["store"] += seconds_since(before);
  }

  // What a run tells of itself even when it is killed.
  void mark() {
    if (options_.shared_gpu) marks_["shared_gpu"] = 1;
    if (evaluator_.has_callers_operands()) marks_["callers_operands"] = 1;
    if (times_constants()) marks_["constant_operands"] = 1;
  }

  // Values that the caller brought and that are gone may be anything.
  bool times_constants() const {
    const HostOperands brought = evaluator_.callers_operands();
    const bool known = !brought.empty() || !evaluator_.has_callers_operands();
    return known && has_constant_operands(evaluator_.instance(), brought);
  }

  void report(TuneProgress::Stage stage, std::int64_t done, const Outcome* outcome) {
    if (!listener_) return;
    progress_.stage = stage;
    progress_.done = done;
    progress_.counts = result_.counts;
    progress_.outcome = outcome;
    // Compile progress may come from another thread, which must not ask the evaluator.
    progress_.gpu_busy.reset();
    if (stage != TuneProgress::Stage::compile) {
      const double gpu_s = evaluator_.gpu_seconds(), wall_s = seconds_since(start_);
      if (gpu_s > 0 && wall_s > 0) progress_.gpu_busy = std::min(1.0, gpu_s / wall_s);
    }
    listener_(progress_);
  }

  Evaluator& evaluator_;
  const spec::TemplateSpec& spec_;
  db::Store* store_;
  const TuneOptions& options_;
  const std::function<void(const TuneProgress&)>& listener_;
  TemplateSpace space_;
  const StrategyInfo& method_;
  Budget budget_;
  std::unique_ptr<Strategy> strategy_;
  const Clock::time_point start_ = Clock::now();
  std::int64_t run_ = 0;
  std::int64_t trials_ = 0, improved_at_ = 0;
  std::unordered_map<spec::Config, Outcome, spec::ConfigHash> stored_;  // not yet asked for
  std::map<std::string, double> marks_;
  std::map<std::int64_t, bool> over_callers_operands_;  // by run
  std::vector<Outcome> candidates_;                     // ok
  PooledSpread spread_;
  std::map<std::string, double> measure_before_race_s_;
  double race_s_ = 0, store_s_ = 0, around_s_ = 0, around_gpu_s_ = 0;
  TuneProgress progress_;
  TuneResult result_;
};

}  // namespace

TuneResult tune(Evaluator& evaluator, db::Store* store, const TuneOptions& options,
                const std::function<void(const TuneProgress&)>& listener) {
  return Session(evaluator, store, options, listener).run();
}

}  // namespace warptune::tuner
