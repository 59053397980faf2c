#include "tuner/loop/decide.hpp"

#include <algorithm>
#include <climits>
#include <map>
#include <optional>
#include <unordered_map>

#include <warptune/runtime/problem_key.hpp>

#include "tuner/loop/preference.hpp"
#include "tuner/loop/watched_pair.hpp"
#include "tuner/measure/conditions_log.hpp"
#include "tuner/measure/race.hpp"
#include "tuner/measure/screen.hpp"

namespace warptune::tuner {
namespace {

class Decider {
 public:
  Decider(Evaluator& evaluator, const std::vector<Outcome>& candidates, const DecideOptions& options)
      : evaluator_(evaluator),
        spec_(evaluator.instance().spec()),
        options_(options),
        candidates_(candidates) {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      preferences_.push_back(preference_key(evaluator_.instance(), candidates_[i]));
      if (candidates_[i].config == spec_.default_config) default_ = i;
    }
  }

  Decision run() {
    std::vector<std::int64_t> classes = evaluator_.instance().alignment_classes();
    std::map<std::int64_t, std::vector<std::size_t>> fields;
    for (const std::int64_t width : classes) fields[width] = field(width, width == classes.back());
    keep(fields);
    std::optional<std::size_t> wider;  // winner of the next wider class
    for (auto width = classes.rbegin(); width != classes.rend() && !decision_.stopped; ++width) {
      const std::vector<std::size_t>& field = fields[*width];
      if (field.empty()) continue;
      if (width == classes.rbegin()) decision_.raced_widest = static_cast<std::int64_t>(field.size());
      if (wider && candidates_[*wider].alignment_bytes <= *width) {
        decision_.winners.push_back(decision_.winners.back());
      } else {
        wider = race_class(field);
      }
      if (!decision_.stopped) decision_.winners.back().alignment_bytes = static_cast<int>(*width);
    }
    decision_.clocks = log_.figures();
    if (rounds_ > 0) decision_.clocks["rounds"] = rounds_;
    if (repeated_rounds_ > 0) decision_.clocks["repeated_rounds"] = repeated_rounds_;
    if (disturbed_rounds_ > 0) decision_.clocks["disturbed_rounds"] = disturbed_rounds_;
    if (uneven_share_ > 0) decision_.clocks["uneven_share"] = uneven_share_;
    std::reverse(decision_.winners.begin(), decision_.winners.end());
    if (decision_.stopped) decision_.winners.clear();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!blocks_.contains(i)) continue;
      Outcome outcome = candidates_[i];
      outcome.blocks_ns.insert(outcome.blocks_ns.end(), blocks_[i].begin(), blocks_[i].end());
      decision_.raced.push_back(std::move(outcome));
    }
    return std::move(decision_);
  }

 private:
  // The candidates that serve operands aligned to `width` bytes and are worth racing.
  std::vector<std::size_t> field(std::int64_t width, bool widest) const {
    std::vector<std::size_t> serving;
    std::vector<double> times;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (candidates_[i].alignment_bytes > width) continue;
      serving.push_back(i);
      times.push_back(candidates_[i].time_ns().value_or(0));
    }
    std::vector<std::size_t> kept = screen(times);
    const std::size_t limit = widest ? options_.raced_at_most : options_.raced_at_most_narrow;
    if (kept.size() > limit) kept.resize(limit);
    std::transform(kept.begin(), kept.end(), kept.begin(), [&](std::size_t i) { return serving[i]; });
    return kept;
  }

  void keep(const std::map<std::int64_t, std::vector<std::size_t>>& fields) {
    std::vector<bool> needed(candidates_.size());
    for (const auto& [width, field] : fields)
      for (const std::size_t i : field) needed[i] = true;
    if (default_) needed[*default_] = true;
    std::vector<spec::Config> configs;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (needed[i]) configs.push_back(candidates_[i].config);
    evaluator_.retain_only(configs);
    evaluator_.prepare(configs, [](std::size_t, std::size_t) {});
  }

  double sample(std::size_t candidate) {
    const double time_ns = evaluator_.time_block(candidates_[candidate].config);
    if (options_.block_done) options_.block_done();
    return time_ns;
  }

  void keep_blocks(std::size_t candidate, const std::vector<double>& blocks_ns) {
    std::vector<double>& kept = blocks_[candidate];
    kept.insert(kept.end(), blocks_ns.begin(), blocks_ns.end());
  }

  // A replay must not look more certain than what was recorded.
  RaceOptions race_options(const std::vector<std::size_t>& field) {
    RaceOptions race_options;
    race_options.seed = options_.seed;
    race_options.stop = options_.stop;
    race_options.round_holds = [this] { return log_.add_round(evaluator_.conditions()); };
    for (const std::size_t i : field) {
      const std::optional<int> limit = evaluator_.independent_blocks(candidates_[i].config);
      race_options.available.push_back(limit.value_or(INT_MAX));
      if (!limit) continue;
      race_options.early_rounds = std::clamp(*limit, 1, race_options.early_rounds);
    }
    return race_options;
  }

  // Appends the record of the class's winner and returns its candidate.
  std::size_t race_class(const std::vector<std::size_t>& field) {
    const RaceOptions options = race_options(field);
    (void)evaluator_.conditions();  // what came before is no matter of this race
    const RaceResult result = race(
        field.size(), [&](std::size_t i) { return sample(field[i]); },
        [&](std::size_t a, std::size_t b) { return preferences_[field[a]] < preferences_[field[b]]; },
        options);
    if (options_.stop && options_.stop()) {
      decision_.stopped = true;
      return field[result.winner];
    }
    for (std::size_t i = 0; i < field.size(); ++i) keep_blocks(field[i], result.samples_ns[i]);
    rounds_ += result.rounds;
    repeated_rounds_ += result.repeated_rounds;
    disturbed_rounds_ += result.disturbed_rounds;
    // Single blocks stray; only a share that cost the certificate is worth a word.
    if (result.uneven_share > options.uneven_at_most)
      uneven_share_ = std::max(uneven_share_, result.uneven_share);
    db::WinnerRecord record;
    record.time_ns = median(result.samples_ns[result.winner]);
    record.certified = result.certified;
    if (result.certified) {
      record.interval_low_ns = result.interval_ns.low;
      record.interval_high_ns = result.interval_ns.high;
    }
    record.samples = static_cast<std::int64_t>(result.samples_ns[result.winner].size());
    const std::vector<std::size_t>& equals = result.certified ? result.tied : result.survivors;
    record.tied = static_cast<std::int64_t>(equals.size()) - 1;
    const bool default_tied = std::any_of(equals.begin(), equals.end(),
                                          [&](std::size_t i) { return default_ && field[i] == *default_; });
    const std::size_t winner = against_default(field[result.winner], default_tied, record);
    fill_in(winner, record);
    decision_.winners.push_back(record);
    return winner;
  }

  // Times winner and default alternately, last of all. The default's time is the winner's times the paired
  // ratio, which drift between race and comparison does not touch.
  std::size_t against_default(std::size_t winner, bool default_tied, db::WinnerRecord& record) {
    if (!default_) return winner;
    if (winner == *default_) {
      record.default_time_ns = record.time_ns;
      return winner;
    }
    const auto [pair, undisturbed] = confirm(winner, *default_);
    if (!undisturbed) withdraw_certificate(record);
    // A tie was settled by preference; only a default that is surely faster undoes that.
    const bool gives_way = default_tied ? pair.ratio_95.low > 1 : pair.ratio >= 1;
    if (!gives_way) {
      record.default_time_ns = record.time_ns / pair.ratio;
      return winner;
    }
    record.time_ns = median(pair.b_ns);
    record.default_time_ns = record.time_ns;
    if (!default_tied) withdraw_certificate(record);
    record.samples = static_cast<std::int64_t>(pair.b_ns.size());
    if (record.certified) {
      const Interval interval = median_interval(pair.b_ns);
      record.interval_low_ns = interval.low;
      record.interval_high_ns = interval.high;
    }
    return *default_;
  }

  // Over operands in fresh memory; whether nothing disturbed it. Repeated while something does, twice at most.
  WatchedPair confirm(std::size_t a, std::size_t b) {
    evaluator_.renew_operands();
    for (int repeats = 0;; ++repeats) {
      WatchedPair watched = compare_watched(
          evaluator_, log_, [&] { return sample(a); }, [&] { return sample(b); });
      if (!watched.undisturbed && repeats < 2) {
        ++repeated_rounds_;
        continue;
      }
      disturbed_rounds_ += !watched.undisturbed;
      keep_blocks(a, watched.pair.a_ns);
      keep_blocks(b, watched.pair.b_ns);
      return watched;
    }
  }

  void fill_in(std::size_t winner, db::WinnerRecord& record) const {
    const spec::Instance& instance = evaluator_.instance();
    record.config = runtime::stored_config(spec_, candidates_[winner].config);
    record.default_config = runtime::stored_config(spec_, spec_.default_config);
    record.verified_ragged = candidates_[winner].verified_ragged;
    if (const auto bytes = instance.cost_bytes()) record.bytes = static_cast<double>(*bytes);
    if (const auto flops = instance.cost_flops()) record.flops = static_cast<double>(*flops);
    if (record.certified) record.certified_by = "race";
    record.limit_bytes_per_s = evaluator_.limit_bytes_per_s();
  }

  Evaluator& evaluator_;
  const spec::TemplateSpec& spec_;
  const DecideOptions& options_;
  const std::vector<Outcome>& candidates_;
  std::vector<PreferenceKey> preferences_;
  std::optional<std::size_t> default_;
  std::unordered_map<std::size_t, std::vector<double>> blocks_;
  ConditionsLog log_;
  int rounds_ = 0, repeated_rounds_ = 0, disturbed_rounds_ = 0;
  double uneven_share_ = 0;
  Decision decision_;
};

}  // namespace

void withdraw_certificate(db::WinnerRecord& winner) {
  winner.certified = false;
  winner.certified_by.clear();
  winner.interval_low_ns.reset();
  winner.interval_high_ns.reset();
}

Decision decide(Evaluator& evaluator, const std::vector<Outcome>& candidates, const DecideOptions& options) {
  return Decider(evaluator, candidates, options).run();
}

}  // namespace warptune::tuner
