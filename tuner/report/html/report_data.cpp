#include "tuner/report/html/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <warptune/base/version.hpp>

#include "tuner/report/config_text.hpp"
#include "tuner/report/failure_kinds.hpp"
#include "tuner/report/html/packed_configs.hpp"
#include "tuner/report/nearby.hpp"
#include "tuner/report/variance.hpp"

namespace warptune::tuner {
namespace {

// Kinds of failure shown per problem.
constexpr std::size_t most_failure_kinds = 20;

struct ProblemContent {
  std::vector<db::OutcomeRecord> outcomes;  // newest per config, in the order tried
  std::vector<db::StoredWinner> winners;    // by alignment class
  std::vector<db::StoredRun> runs;          // without outcomes
  std::vector<Nearby> nearby;               // of the run behind the widest class
};
using KernelContent = std::map<db::ProblemKey, ProblemContent>;

std::map<std::string, KernelContent> load(const db::Store& store, const ReportScope& scope) {
  std::map<std::string, KernelContent> kernels;
  for (const db::ProblemKey& problem : store.problems()) {
    if (!scope.wanted(problem)) continue;
    ProblemContent& content = kernels[problem.kernel][problem];
    for (db::StoredOutcome& stored : store.outcomes(problem)) {
      stored.outcome.blocks_ns = {};  // not shown, and most of the memory
      content.outcomes.push_back(std::move(stored.outcome));
    }
  }
  store.visit_winners(std::nullopt, {}, [&](const db::StoredWinner& winner) {
    if (scope.wanted(winner.problem))
      kernels[winner.problem.kernel][winner.problem].winners.push_back(winner);
  });
  store.visit_runs({}, db::RunParts::head, [&](const db::StoredRun& run) {
    const auto kernel = kernels.find(run.problem.kernel);
    if (kernel == kernels.end()) return;
    const auto problem = kernel->second.find(run.problem);
    if (problem != kernel->second.end()) problem->second.runs.push_back(run);
  });
  for (auto& [name, problems] : kernels)
    for (auto& [problem, content] : problems)
      if (!content.winners.empty())
        content.nearby =
            nearby_of(store.neighbour_times(content.winners.back().run), content.winners.back().winner);
  return kernels;
}

JsonValue json_of_winner(const db::StoredWinner& stored, const ConfigPacker& packer,
                         const ReportScope& scope) {
  const db::WinnerRecord& winner = stored.winner;
  std::optional<double> rate, limit_ns;
  if (winner.bytes) rate = *winner.bytes / winner.time_ns * 1e9;
  if (winner.bytes && winner.limit_bytes_per_s && *winner.limit_bytes_per_s > 0)
    limit_ns = *winner.bytes / *winner.limit_bytes_per_s * 1e9;
  return JsonObject{{"alignment_bytes", winner.alignment_bytes},
                    {"code", packer.code(winner.config)},
                    {"time_ns", winner.time_ns},
                    {"default_ns", winner.default_time_ns},
                    {"bytes_per_s", rate},
                    {"limit_ns", limit_ns},
                    {"certified", winner.certified},
                    {"certified_by", winner.certified_by},
                    {"low_ns", winner.interval_low_ns},
                    {"high_ns", winner.interval_high_ns},
                    {"samples", winner.samples},
                    {"tied", winner.tied},
                    {"state", scope.state(stored.problem, stored.toolchain)},
                    {"origin", db::to_text(stored.origin)},
                    {"run", stored.run}};
}

JsonValue json_of_run(const db::StoredRun& run) {
  JsonObject clocks;
  for (const auto* figures : {&run.info.marks, &run.end.clocks})
    for (const auto& [name, value] : *figures) clocks.emplace_back(name, value);
  return JsonObject{{"id", run.id},
                    {"started_unix_s", run.info.started_unix_s},
                    {"origin", db::to_text(run.info.origin)},
                    {"strategy", run.info.strategy},
                    {"seed", std::to_string(run.info.seed)},
                    {"complete", run.end.complete},
                    {"driver", run.info.toolchain.driver_name},
                    {"nvrtc", run.info.toolchain.nvrtc_version},
                    {"headers", run.info.toolchain.headers_hash.substr(0, 12)},
                    {"warptune", run.info.toolchain.warptune_version},
                    {"clocks", std::move(clocks)},
                    {"command", run.info.command}};
}

JsonArray json_of_nearby(const std::vector<Nearby>& nearby, const ConfigPacker& packer) {
  JsonArray list;
  for (const Nearby& each : nearby)
    list.push_back(JsonObject{{"dims", json_of(each.dims)},
                              {"configs", each.configs},
                              {"fastest", packer.code(each.fastest)},
                              {"fastest_ns", each.fastest_ns},
                              {"winner_ns", each.winner_ns},
                              {"default_ns", each.default_ns}});
  return list;
}

JsonArray json_of_failures(const db::ProblemKey& problem, const ProblemContent& content) {
  FailureCounter counter;
  for (const db::OutcomeRecord& outcome : content.outcomes) counter.add(problem, outcome);
  std::vector<FailureKind> kinds = counter.kinds();
  if (kinds.size() > most_failure_kinds) kinds.resize(most_failure_kinds);
  JsonArray list;
  for (const FailureKind& kind : kinds)
    list.push_back(JsonObject{{"status", kind.status},
                              {"count", kind.count},
                              {"reason", kind.reason},
                              {"example", config_text(kind.example)}});
  return list;
}

bool is_timed(const db::OutcomeRecord& outcome) {
  return outcome.status == "ok" && outcome.time_ns && std::isfinite(*outcome.time_ns) && *outcome.time_ns > 0;
}

JsonArray json_of_variance(const ProblemContent& content) {
  std::vector<TimedConfig> timed;
  for (const db::OutcomeRecord& outcome : content.outcomes)
    if (is_timed(outcome)) timed.push_back({&outcome.config, *outcome.time_ns});
  JsonArray list;
  for (const auto& [name, share] : variance_shares(timed))
    list.push_back(JsonArray{name, std::round(share * 1e4) / 1e4});
  return list;
}

JsonArray json_of_libraries(const db::ProblemKey& problem, const std::vector<db::ReferenceTime>& times) {
  JsonArray list;
  for (const db::ReferenceTime& time : times) {
    if (time.types != problem.types || time.dims != all_dims(problem) ||
        time.attributes != problem.attributes || time.device != problem.device ||
        time.policy != problem.policy)
      continue;
    std::optional<double> ours_ns, speedup;
    if (time.beside) {
      ours_ns = time.beside->time_ns;
      speedup = time.beside->speedup;
    }
    list.push_back(JsonObject{{"library", time.library},
                              {"call", time.call},
                              {"version", time.library_version},
                              {"time_ns", time.time_ns},
                              {"ours_ns", ours_ns},
                              {"speedup", speedup},
                              {"at_unix_s", time.at_unix_s}});
  }
  return list;
}

JsonValue json_of_outlook(const std::optional<Outlook>& outlook) {
  if (!outlook) return {};
  return JsonObject{
      {"chance", outlook->chance},         {"gain", outlook->gain},
      {"any_chance", outlook->any_chance}, {"any_gain", outlook->any_gain},
      {"at_most", outlook->at_most},       {"configs", static_cast<std::int64_t>(outlook->configs)}};
}

class Devices {
 public:
  std::int64_t index(const db::DeviceKey& device) {
    const std::int64_t index = std::find(devices_.begin(), devices_.end(), device) - devices_.begin();
    if (index == std::ssize(devices_)) devices_.push_back(device);
    return index;
  }
  JsonArray json() const {
    JsonArray list;
    for (const db::DeviceKey& device : devices_)
      list.push_back(JsonObject{{"model", device.model},
                                {"compute_capability", device.compute_capability},
                                {"sm_count", device.sm_count},
                                {"l2_bytes", device.l2_bytes},
                                {"memory_gib", device.memory_gib}});
    return list;
  }

 private:
  std::vector<db::DeviceKey> devices_;
};

JsonValue json_of_problem(const db::ProblemKey& problem, const ProblemContent& content,
                          const ConfigPacker& packer, const std::vector<db::ReferenceTime>& times,
                          const ReportScope& scope, Devices& devices) {
  double best_ns = 0;
  for (const db::OutcomeRecord& outcome : content.outcomes)
    if (is_timed(outcome) && (best_ns == 0 || *outcome.time_ns < best_ns)) best_ns = *outcome.time_ns;
  std::string packed;
  for (const db::OutcomeRecord& outcome : content.outcomes) packer.pack(outcome, best_ns, packed);
  JsonArray winners, runs;
  for (const db::StoredWinner& winner : content.winners)
    winners.push_back(json_of_winner(winner, packer, scope));
  for (const db::StoredRun& run : content.runs) runs.push_back(json_of_run(run));
  return JsonObject{
      {"types", types_text(problem.types)},
      {"dims", json_of(all_dims(problem))},
      {"attributes", config_text(named(problem.attributes))},
      {"class", problem.numerics},
      {"policy", problem.policy},
      {"device", devices.index(problem.device)},
      {"template_hash", problem.template_hash},
      {"best_ns", best_ns},
      {"configs", std::move(packed)},
      {"winners", std::move(winners)},
      {"variance", json_of_variance(content)},
      {"failures", json_of_failures(problem, content)},
      {"libraries", json_of_libraries(problem, times)},
      {"nearby", json_of_nearby(content.nearby, packer)},
      {"outlook", json_of_outlook(scope.outlook ? scope.outlook(problem, content.outcomes) : std::nullopt)},
      {"runs", std::move(runs)}};
}

}  // namespace

ReportData report_data(const db::Store& store, const ReportScope& scope) {
  ReportData data;
  Devices devices;
  JsonArray kernels;
  for (const auto& [name, problems] : load(store, scope)) {
    ConfigPacker packer;
    for (const auto& [problem, content] : problems) {
      for (const db::OutcomeRecord& outcome : content.outcomes) packer.learn(outcome.config);
      for (const db::StoredWinner& winner : content.winners) packer.learn(winner.winner.config);
      for (const Nearby& each : content.nearby) packer.learn(each.fastest);
      data.configs += std::ssize(content.outcomes);
    }
    packer.finish();
    const std::vector<db::ReferenceTime> times = store.reference_times(name);
    JsonArray list;
    for (const auto& [problem, content] : problems)
      list.push_back(json_of_problem(problem, content, packer, times, scope, devices));
    data.problems += std::ssize(list);
    kernels.push_back(JsonObject{{"name", name},
                                 {"tunables", packer.tunables()},
                                 {"code_digits", packer.code_digits()},
                                 {"problems", std::move(list)}});
  }
  data.kernels = std::ssize(kernels);
  const db::Contents contents = store.contents();
  JsonArray statuses(packed_statuses().begin(), packed_statuses().end());
  data.json = JsonObject{{"warptune", std::string(version)},
                         {"generated_unix_s", scope.now_unix_s},
                         {"time_step", packed_time_step},
                         {"first_status", packed_first_status()},
                         {"statuses", std::move(statuses)},
                         {"database", JsonObject{{"file", store.path().filename().string()},
                                                 {"bytes", contents.bytes},
                                                 {"schema", store.schema_version()},
                                                 {"runs", contents.runs},
                                                 {"outcomes", contents.outcomes}}},
                         {"devices", devices.json()},
                         {"kernels", std::move(kernels)}};
  return data;
}

}  // namespace warptune::tuner
