#include "tuner/loop/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "tuner/measure/conditions_log.hpp"
#include "tuner/report/config_text.hpp"
#include "tuner/report/document.hpp"
#include "tuner/report/units.hpp"

namespace warptune::tuner {
namespace {

std::string subject(const spec::Instance& instance, const TuneOptions& options, db::Origin origin) {
  return fmt::format("{} {} on {} ({}{})", instance.spec().name, instance.problem().text(),
                     instance.device().model, options.policy,
                     origin == db::Origin::replayed ? ", replayed from a recording" : "");
}

std::string time_sentence(const db::WinnerRecord& winner, std::int64_t raced) {
  std::string text = fmt::format("{} takes {}", config_text(winner.config), time_text(winner.time_ns));
  if (winner.certified && winner.interval_low_ns && winner.interval_high_ns) {
    text += fmt::format(" (95 % interval {} to {})", time_text(*winner.interval_low_ns),
                        time_text(*winner.interval_high_ns));
    text += raced > 1
                ? fmt::format(", certified within 1 % of the best of the {} configs that were raced", raced)
                : ", the only config worth racing";
  } else {
    text += fmt::format("; it led the {} configs that were raced, but is not certified", raced);
  }
  if (winner.tied > 0) text += fmt::format("; {} more cannot be told from it", winner.tied);
  return text + ".";
}

std::string default_sentence(const db::WinnerRecord& winner) {
  if (winner.config == winner.default_config) return "It is the default config.";
  if (!winner.default_time_ns) return "The default config failed, so there is no gain to state.";
  return fmt::format("The default takes {}: a gain of {}.", time_text(*winner.default_time_ns),
                     factor_text(*winner.default_time_ns / winner.time_ns));
}

std::string rate_sentence(const db::WinnerRecord& winner) {
  if (!winner.bytes) return {};
  const double bytes_per_s = *winner.bytes / winner.time_ns * 1e9;
  if (!winner.limit_bytes_per_s)
    return fmt::format(" It moves {}; the card's ceiling was not measured.", rate_text(bytes_per_s));
  return fmt::format(" It moves {}, {} of the {} that this card's memory was measured to give.",
                     rate_text(bytes_per_s), percent_text(bytes_per_s / *winner.limit_bytes_per_s),
                     rate_text(*winner.limit_bytes_per_s));
}

// What ended the search before the space did.
std::string ended_text(const std::string& ended) {
  if (ended == "idle") return ", the last ones without a faster one";
  if (ended == "target") return ", until the target was reached";
  if (ended == "trials" || ended == "seconds" || ended == "gpu_seconds")
    return ", as many as the limit allowed";
  return "";
}

std::string effort_sentence(const TuneResult& result) {
  std::int64_t tried = 0;
  for (const auto& [status, count] : result.counts) tried += count;
  std::string text = fmt::format("{} configs tried", tried);
  if (result.end.space_size > 0) text += fmt::format(" of {}", result.end.space_size);
  if (result.reused > 0) text += fmt::format(", {} of them answered by stored results", result.reused);
  const auto ok = result.counts.find(OutcomeStatus::ok);
  if (ok == result.counts.end() || ok->second != tried)
    text += fmt::format(", {} ok", ok == result.counts.end() ? 0 : ok->second);
  return fmt::format("{}{}; {:.1f} s of GPU time.", text, ended_text(result.ended), result.end.gpu_s);
}

std::string failure_text(const TuneResult& result) {
  std::string text;
  for (const auto& [status, count] : result.counts) {
    if (status == OutcomeStatus::ok) continue;
    const auto example = result.examples.find(status);
    text += fmt::format(" {} {}{}.", count, to_string(status),
                        example == result.examples.end() ? "" : ", for example " + example->second);
  }
  return text;
}

// What disturbed the race, and what became of it.
std::string disturbance_sentence(const TuneResult& result) {
  const std::map<std::string, double>& seen = result.end.clocks;
  const std::string reasons = disturbance_text(seen);
  if (reasons.empty()) return {};
  const bool stayed = seen.contains("disturbed_rounds") || seen.contains("uneven_share");
  return reasons + (stayed ? ", so the race is not certified" : ", which were run again");
}

// The most that the winner loses at a neighbour that was timed. Without a full stop.
std::string neighbours_sentence(const db::WinnerRecord& winner, const TuneResult& result) {
  std::map<std::map<std::string, std::int64_t>, double> fastest_ns;
  for (const db::NeighbourTime& time : result.neighbours) {
    double& fastest = fastest_ns.try_emplace(time.dims, time.time_ns).first->second;
    fastest = std::min(fastest, time.time_ns);
  }
  const db::NeighbourTime* worst = nullptr;
  double most = 0;
  for (const db::NeighbourTime& time : result.neighbours) {
    const double loss = time.time_ns / fastest_ns.at(time.dims) - 1;
    if (time.config != winner.config || (worst != nullptr && loss <= most)) continue;
    worst = &time;
    most = loss;
  }
  if (worst == nullptr)
    return " Not measured: neighbouring problems, so the loss when it serves them is unknown";
  return fmt::format(" At the {} neighbouring problems timed it loses at most {} to the fastest there ({})",
                     fastest_ns.size(), percent_text(most), config_text(named(worst->dims)));
}

// Whether each of several elements is as the one before it.
bool all_equal(std::span<const std::byte> values, std::size_t element_bytes) {
  return values.size() > element_bytes &&
         std::memcmp(values.data(), values.data() + element_bytes, values.size() - element_bytes) == 0;
}

}  // namespace

bool has_constant_operands(const spec::Instance& instance, const HostOperands& brought) {
  const std::vector<spec::BufferSpec>& buffers = instance.spec().buffers;
  const std::vector<spec::BufferLayout> layouts = instance.buffers(instance.spec().default_config);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const spec::BufferSpec& buffer = buffers[i];
    if (buffer.role != spec::BufferRole::in && buffer.role != spec::BufferRole::inout) continue;
    const auto values = brought.find(buffer.name);
    if (values == brought.end()
            ? buffer.fill == "zero" || buffer.fill == "one"
            : all_equal(values->second, static_cast<std::size_t>(layouts[i].element_bytes)))
      return true;
  }
  return false;
}

std::string verdict(const spec::Instance& instance, const TuneOptions& options, const TuneResult& result,
                    std::int64_t raced, db::Origin origin) {
  const std::string start = subject(instance, options, origin) + ": ";
  if (result.interrupted)
    return start + "interrupted, no winner decided. " + effort_sentence(result) +
           " The same command goes on from here.";
  if (result.winners.empty())
    return start + "every candidate failed." + failure_text(result) + " " + effort_sentence(result);
  const db::WinnerRecord& winner = result.winners.back();
  std::string text = start + time_sentence(winner, raced) + " " + default_sentence(winner) +
                     rate_sentence(winner) + " " + effort_sentence(result);
  text += neighbours_sentence(winner, result);
  if (!winner.verified_ragged) text += "; it was not verified at other lengths, so it serves these dims only";
  if (const std::string disturbed = disturbance_sentence(result); !disturbed.empty())
    text += "; " + disturbed;
  if (result.end.clocks.contains("callers_operands"))
    text += "; it was decided over the operands that the caller brought";
  if (result.end.clocks.contains("constant_operands"))
    text += "; an operand held one value throughout, on which cards run faster than on data";
  if (options.shared_gpu)
    text += "; another tuner measured on this GPU at the same time, so nothing is certified";
  if (origin == db::Origin::replayed) text += "; nothing was run on a GPU now";
  return text + ".";
}

}  // namespace warptune::tuner
