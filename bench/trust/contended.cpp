// Whole decisions while a second process computes on the card: all must be flagged, none certified.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "bench/trust/companion.hpp"
#include "bench/trust/trust.hpp"
#include "tuner/loop/decide.hpp"
#include "tuner/measure/conditions_log.hpp"

namespace warptune::trust {
namespace {

constexpr std::int64_t length = 1 << 22;

// Whole decisions, as a tune ends with: are they flagged, and what do they certify?
void decisions(Card& card, int runs, int first_seed, bool contended) {
  const auto evaluator = card.open(small_dot(), problem_of("__half", length));
  const std::vector<spec::Config> configs = all_configs(evaluator->instance());
  std::vector<tuner::Outcome> candidates;
  for (std::size_t i = 0; i < 4; ++i) {
    candidates.push_back(evaluator->evaluate(configs[i * configs.size() / 4]));
    if (!candidates.back().time_ns()) throw std::runtime_error("a config failed");
  }
  int flagged = 0, certified = 0;
  for (int run = 0; run < runs; ++run) {
    tuner::DecideOptions options;
    options.seed = static_cast<std::uint64_t>(first_seed + run);
    const tuner::Decision decision = tuner::decide(*evaluator, candidates, options);
    flagged += !tuner::disturbance_text(decision.clocks).empty();
    certified += decision.winners.back().certified;
  }
  const std::string what = fmt::format("{} runs, seeds from {}, {}", runs, first_seed,
                                       contended ? "a second process computing" : "alone");
  row(contended ? "second process, flagged" : "no second process, flagged", what, share_text(flagged, runs),
      contended ? "99 %" : "none", contended ? flagged * 100 >= 99 * runs : flagged * 100 <= runs);
  row(contended ? "second process, certified" : "no second process, certified", what,
      share_text(certified, runs), contended ? "none" : "-", !contended || certified == 0);
}

}  // namespace

void contended(Card& card, const std::vector<std::string>& arguments) {
  const int runs = arguments.empty() ? 300 : std::atoi(arguments.front().c_str());
  const int first_seed = arguments.size() < 2 ? 1 : std::atoi(arguments[1].c_str());
  decisions(card, runs, first_seed, false);
  const Companion contender("compute");
  std::this_thread::sleep_for(std::chrono::seconds(3));  // until it computes
  decisions(card, runs, first_seed, true);
  contender.require_running();
}

}  // namespace warptune::trust
