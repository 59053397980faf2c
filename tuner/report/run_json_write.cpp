// The writing half of run_json.hpp.
#include <charconv>
#include <cmath>

#include "tuner/report/run_json.hpp"

namespace warptune::tuner {
namespace {

// The shortest number that reads back as the same float; as a double it would have 17 digits.
double shortest(float value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  double result = static_cast<double>(value);
  if (error == std::errc()) std::from_chars(digits, end, result);
  return result;
}

JsonValue device_json(const db::DeviceKey& device) {
  return JsonObject{{"model", device.model},
                    {"compute_capability", device.compute_capability},
                    {"sm_count", device.sm_count},
                    {"l2_bytes", device.l2_bytes},
                    {"memory_gib", device.memory_gib}};
}

JsonValue outcome_json(const db::OutcomeRecord& outcome) {
  JsonArray blocks;
  for (const float block : outcome.blocks_ns) blocks.emplace_back(shortest(block));
  // JSON has no infinity, which stands for an output that was no number.
  JsonValue max_error(outcome.max_error);
  if (outcome.max_error && !std::isfinite(*outcome.max_error)) max_error = "infinity";
  return JsonObject{{"config", json_of(outcome.config)},
                    {"status", outcome.status},
                    {"reason", outcome.reason},
                    {"time_ns", outcome.time_ns},
                    {"blocks_ns", std::move(blocks)},
                    {"max_error", std::move(max_error)},
                    {"verified_ragged", outcome.verified_ragged},
                    {"registers", outcome.registers},
                    {"local_bytes", outcome.local_bytes},
                    {"shared_bytes", outcome.shared_bytes},
                    {"alignment_bytes", outcome.alignment_bytes},
                    {"at_unix_ms", outcome.at_unix_ms}};
}

JsonValue winner_json(const db::WinnerRecord& winner) {
  return JsonObject{{"alignment_bytes", winner.alignment_bytes},
                    {"config", json_of(winner.config)},
                    {"time_ns", winner.time_ns},
                    {"default_time_ns", winner.default_time_ns},
                    {"default_config", json_of(winner.default_config)},
                    {"certified", winner.certified},
                    {"certified_by", winner.certified_by},
                    {"interval_low_ns", winner.interval_low_ns},
                    {"interval_high_ns", winner.interval_high_ns},
                    {"samples", winner.samples},
                    {"tied", winner.tied},
                    {"verified_ragged", winner.verified_ragged},
                    {"complete", winner.complete},
                    {"bytes", winner.bytes},
                    {"flops", winner.flops},
                    {"limit_bytes_per_s", winner.limit_bytes_per_s}};
}

JsonValue neighbour_json(const db::NeighbourTime& time) {
  return JsonObject{{"dims", json_of(time.dims)},
                    {"config", json_of(time.config)},
                    {"time_ns", time.time_ns},
                    {"samples", time.samples}};
}

JsonValue end_json(const db::RunEnd& end) {
  return JsonObject{
      {"complete", end.complete}, {"space_size", end.space_size},    {"wall_s", end.wall_s},
      {"gpu_s", end.gpu_s},       {"phase_s", json_of(end.phase_s)}, {"clocks", json_of(end.clocks)}};
}

}  // namespace

JsonValue json_of(const db::ProblemKey& problem) {
  return JsonObject{{"kernel", problem.kernel},
                    {"template_hash", problem.template_hash},
                    {"types", json_of(problem.types)},
                    {"key_dims", json_of(problem.key_dims)},
                    {"free_dims", json_of(problem.free_dims)},
                    {"attributes", json_of(problem.attributes)},
                    {"numerics", problem.numerics},
                    {"device", device_json(problem.device)},
                    {"policy", problem.policy}};
}

JsonValue json_of(const db::Toolchain& toolchain) {
  return JsonObject{{"driver_version", toolchain.driver_version},
                    {"driver_name", toolchain.driver_name},
                    {"nvrtc_version", toolchain.nvrtc_version},
                    {"headers_hash", toolchain.headers_hash},
                    {"warptune_version", toolchain.warptune_version}};
}

JsonValue json_of(const db::StoredRun& run) {
  JsonArray outcomes, winners, neighbours;
  for (const db::OutcomeRecord& outcome : run.outcomes) outcomes.push_back(outcome_json(outcome));
  for (const db::WinnerRecord& winner : run.winners) winners.push_back(winner_json(winner));
  for (const db::NeighbourTime& time : run.neighbours) neighbours.push_back(neighbour_json(time));
  return JsonObject{{"uid", run.info.uid},
                    {"problem", json_of(run.problem)},
                    {"toolchain", json_of(run.info.toolchain)},
                    {"origin", db::to_text(run.info.origin)},
                    {"strategy", run.info.strategy},
                    {"seed", std::to_string(run.info.seed)},  // beyond what JSON readers keep of a number
                    {"command", run.info.command},
                    {"started_unix_s", run.info.started_unix_s},
                    {"ended_unix_s", run.ended_unix_s},
                    {"end", run.ended_unix_s ? end_json(run.end) : JsonValue()},
                    {"marks", json_of(run.info.marks)},
                    {"template_parts", json_of(run.info.template_parts)},
                    {"outcomes", std::move(outcomes)},
                    {"winners", std::move(winners)},
                    {"neighbours", std::move(neighbours)}};
}

JsonValue json_of(const db::ReferenceTime& time) {
  JsonValue beside;
  if (time.beside)
    beside = JsonObject{{"config", json_of(time.beside->config)},
                        {"time_ns", time.beside->time_ns},
                        {"speedup", time.beside->speedup}};
  return JsonObject{{"kernel", time.kernel},
                    {"types", json_of(time.types)},
                    {"dims", json_of(time.dims)},
                    {"attributes", json_of(time.attributes)},
                    {"device", device_json(time.device)},
                    {"policy", time.policy},
                    {"library", time.library},
                    {"call", time.call},
                    {"library_version", time.library_version},
                    {"toolchain", json_of(time.toolchain)},
                    {"time_ns", time.time_ns},
                    {"interval_low_ns", time.interval_low_ns},
                    {"interval_high_ns", time.interval_high_ns},
                    {"samples", time.samples},
                    {"at_unix_s", time.at_unix_s},
                    {"beside", std::move(beside)}};
}

JsonValue json_of(const db::Calibration& calibration) {
  return JsonObject{{"device", device_json(calibration.device)},
                    {"figures", json_of(calibration.figures)},
                    {"at_unix_s", calibration.at_unix_s}};
}

}  // namespace warptune::tuner
