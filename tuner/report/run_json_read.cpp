// The reading half of run_json.hpp.
#include <charconv>
#include <limits>

#include "tuner/report/run_json.hpp"

namespace warptune::tuner {
namespace {

std::map<std::string, std::string> words(const JsonReader& json) {
  std::map<std::string, std::string> result;
  for (const auto& [name, value] : json.members()) result[name] = value.text();
  return result;
}
std::map<std::string, std::int64_t> integers(const JsonReader& json) {
  std::map<std::string, std::int64_t> result;
  for (const auto& [name, value] : json.members()) result[name] = value.integer();
  return result;
}
std::map<std::string, double> reals(const JsonReader& json) {
  std::map<std::string, double> result;
  for (const auto& [name, value] : json.members()) result[name] = value.real();
  return result;
}

std::optional<double> optional_real(const JsonReader& json, const std::string& name) {
  const auto member = json.find(name);
  return member ? std::optional(member->real()) : std::nullopt;
}

db::Toolchain read_toolchain(const JsonReader& json) {
  return {json.at("driver_version").small_integer(), json.at("driver_name").text(),
          json.at("nvrtc_version").text(), json.at("headers_hash").text(),
          json.at("warptune_version").text()};
}

db::Origin read_origin(const JsonReader& json) {
  for (const db::Origin origin : {db::Origin::measured, db::Origin::replayed, db::Origin::imported})
    if (json.text() == db::to_text(origin)) return origin;
  json.fail("is none of measured, replayed, imported");
}

std::uint64_t read_seed(const JsonReader& json) {
  const std::string& text = json.text();
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size()) json.fail("is no seed");
  return seed;
}

db::OutcomeRecord read_outcome(const JsonReader& json) {
  db::OutcomeRecord outcome;
  outcome.config = read_named_values(json.at("config"));
  outcome.status = json.at("status").text();
  outcome.reason = json.at("reason").text();
  outcome.time_ns = optional_real(json, "time_ns");
  for (const JsonReader& block : json.at("blocks_ns").items())
    outcome.blocks_ns.push_back(static_cast<float>(block.real()));
  if (const auto error = json.find("max_error"))
    outcome.max_error = error->is_text() ? std::numeric_limits<double>::infinity() : error->real();
  outcome.verified_ragged = json.at("verified_ragged").boolean();
  outcome.registers = json.at("registers").small_integer();
  outcome.local_bytes = json.at("local_bytes").small_integer();
  outcome.shared_bytes = json.at("shared_bytes").small_integer();
  outcome.alignment_bytes = json.at("alignment_bytes").small_integer();
  outcome.at_unix_ms = json.at("at_unix_ms").integer();
  return outcome;
}

db::WinnerRecord read_winner(const JsonReader& json) {
  db::WinnerRecord winner;
  winner.alignment_bytes = json.at("alignment_bytes").small_integer();
  winner.config = read_named_values(json.at("config"));
  winner.time_ns = json.at("time_ns").real();
  winner.default_time_ns = optional_real(json, "default_time_ns");
  winner.default_config = read_named_values(json.at("default_config"));
  winner.certified = json.at("certified").boolean();
  winner.certified_by = json.at("certified_by").text();
  winner.interval_low_ns = optional_real(json, "interval_low_ns");
  winner.interval_high_ns = optional_real(json, "interval_high_ns");
  winner.samples = json.at("samples").integer();
  winner.tied = json.at("tied").integer();
  winner.verified_ragged = json.at("verified_ragged").boolean();
  winner.complete = json.at("complete").boolean();
  winner.bytes = optional_real(json, "bytes");
  winner.flops = optional_real(json, "flops");
  winner.limit_bytes_per_s = optional_real(json, "limit_bytes_per_s");
  return winner;
}

db::NeighbourTime read_neighbour(const JsonReader& json) {
  return {integers(json.at("dims")), read_named_values(json.at("config")), json.at("time_ns").real(),
          json.at("samples").integer()};
}

db::RunEnd read_end(const JsonReader& json) {
  return {json.at("complete").boolean(), json.at("space_size").integer(), json.at("wall_s").real(),
          json.at("gpu_s").real(),       reals(json.at("phase_s")),       reals(json.at("clocks"))};
}

}  // namespace

db::DeviceKey read_device(const JsonReader& json) {
  return {json.at("model").text(), json.at("compute_capability").small_integer(),
          json.at("sm_count").small_integer(), json.at("l2_bytes").integer(),
          json.at("memory_gib").small_integer()};
}

db::NamedValues read_named_values(const JsonReader& json) {
  db::NamedValues values;
  for (const auto& [name, value] : json.members()) {
    if (value.is_text()) {
      values[name] = value.text();
    } else {
      values[name] = value.integer();
    }
  }
  return values;
}

db::ProblemKey read_problem(const JsonReader& json) {
  db::ProblemKey problem;
  problem.kernel = json.at("kernel").text();
  problem.template_hash = json.at("template_hash").text();
  problem.types = words(json.at("types"));
  problem.key_dims = integers(json.at("key_dims"));
  problem.free_dims = integers(json.at("free_dims"));
  problem.attributes = words(json.at("attributes"));
  problem.numerics = json.at("numerics").text();
  problem.device = read_device(json.at("device"));
  problem.policy = json.at("policy").text();
  return problem;
}

db::StoredRun read_run(const JsonReader& json) {
  db::StoredRun run;
  run.info.uid = json.at("uid").text();
  run.problem = read_problem(json.at("problem"));
  run.info.toolchain = read_toolchain(json.at("toolchain"));
  run.info.origin = read_origin(json.at("origin"));
  run.info.strategy = json.at("strategy").text();
  run.info.seed = read_seed(json.at("seed"));
  run.info.command = json.at("command").text();
  run.info.started_unix_s = json.at("started_unix_s").integer();
  if (const auto ended = json.find("ended_unix_s")) {
    run.ended_unix_s = ended->integer();
    run.end = read_end(json.at("end"));
  }
  if (const auto marks = json.find("marks")) run.info.marks = reals(*marks);  // absent from earlier versions
  run.info.template_parts = words(json.at("template_parts"));
  for (const JsonReader& outcome : json.at("outcomes").items()) run.outcomes.push_back(read_outcome(outcome));
  for (const JsonReader& winner : json.at("winners").items()) run.winners.push_back(read_winner(winner));
  if (const auto neighbours = json.find("neighbours"))  // absent from what earlier versions wrote
    for (const JsonReader& time : neighbours->items()) run.neighbours.push_back(read_neighbour(time));
  return run;
}

db::ReferenceTime read_reference_time(const JsonReader& json) {
  db::ReferenceTime time;
  time.kernel = json.at("kernel").text();
  time.types = words(json.at("types"));
  time.dims = integers(json.at("dims"));
  time.attributes = words(json.at("attributes"));
  time.device = read_device(json.at("device"));
  time.policy = json.at("policy").text();
  time.library = json.at("library").text();
  time.call = json.at("call").text();
  time.library_version = json.at("library_version").text();
  time.toolchain = read_toolchain(json.at("toolchain"));
  time.time_ns = json.at("time_ns").real();
  time.interval_low_ns = optional_real(json, "interval_low_ns");
  time.interval_high_ns = optional_real(json, "interval_high_ns");
  time.samples = json.at("samples").integer();
  time.at_unix_s = json.at("at_unix_s").integer();
  if (const auto beside = json.find("beside"))
    time.beside = db::Beside{read_named_values(beside->at("config")), beside->at("time_ns").real(),
                             beside->at("speedup").real()};
  return time;
}

db::Calibration read_calibration(const JsonReader& json) {
  return {read_device(json.at("device")), reals(json.at("figures")), json.at("at_unix_s").integer()};
}

}  // namespace warptune::tuner
