#include "tuner/evaluate/recorded_evaluator.hpp"

#include <optional>
#include <unordered_map>
#include <utility>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/loop/outcome_record.hpp"
#include "tuner/report/config_text.hpp"

namespace warptune::tuner {
namespace {

class RecordedEvaluator final : public Evaluator {
 public:
  RecordedEvaluator(const db::Store& recording, const db::ProblemKey& key, spec::Instance instance)
      : instance_(std::move(instance)) {
    for (const db::StoredOutcome& stored : recording.outcomes(key)) {
      std::optional<Outcome> outcome = from_record(instance_.spec(), stored.outcome);
      if (!outcome) continue;
      toolchain_ = stored.toolchain;
      outcomes_.emplace(outcome->config, std::move(*outcome));
    }
    for (const db::StoredWinner& winner : recording.winners(key.device))
      if (winner.problem == key) limit_ = winner.winner.limit_bytes_per_s;
  }

  const spec::Instance& instance() const override { return instance_; }
  db::Origin origin() const override { return db::Origin::replayed; }
  db::Toolchain toolchain() const override { return toolchain_; }

  void prepare(std::span<const spec::Config>, const std::function<void(std::size_t, std::size_t)>&) override {
  }

  Outcome evaluate(const spec::Config& config) override {
    const auto found = outcomes_.find(config);
    if (found != outcomes_.end()) return found->second;
    Outcome outcome;
    outcome.config = config;
    outcome.status = OutcomeStatus::excluded;
    outcome.reason = "not in the recording";
    return outcome;
  }

  double time_block(const spec::Config& config) override {
    const std::vector<double>& blocks = blocks_of(config);
    return blocks[next_block_[config]++ % blocks.size()];
  }

  std::optional<int> independent_blocks(const spec::Config& config) const override {
    return static_cast<int>(blocks_of(config).size());
  }

  void retain_only(std::span<const spec::Config>) override {}

  std::map<std::string, double> phase_seconds() const override {
    return {{"compile", 0}, {"load", 0}, {"verify", 0}, {"measure", 0}};
  }
  double gpu_seconds() const override { return 0; }
  std::optional<double> limit_bytes_per_s() const override { return limit_; }

 private:
  const std::vector<double>& blocks_of(const spec::Config& config) const {
    const auto found = outcomes_.find(config);
    if (found == outcomes_.end() || found->second.blocks_ns.empty())
      throw Error(ErrorKind::usage, "no recorded times of " + spec::to_text(instance_.spec(), config));
    return found->second.blocks_ns;
  }

  spec::Instance instance_;
  db::Toolchain toolchain_;
  std::unordered_map<spec::Config, Outcome, spec::ConfigHash> outcomes_;
  std::unordered_map<spec::Config, std::size_t, spec::ConfigHash> next_block_;
  std::optional<double> limit_;
};

// Whether a recorded problem answers for a wanted one, whatever the template's hash and the device.
bool answers(const db::ProblemKey& recorded, const db::ProblemKey& wanted, const spec::Numerics& allowed) {
  return recorded.types == wanted.types && recorded.key_dims == wanted.key_dims &&
         recorded.free_dims == wanted.free_dims && recorded.attributes == wanted.attributes &&
         recorded.policy == wanted.policy && spec::Numerics::parse(recorded.numerics).covers(allowed);
}

std::string what_is_recorded(const std::vector<db::ProblemKey>& problems, const std::string& kernel) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> texts;
  for (const db::ProblemKey& problem : problems) {
    if (texts.size() == shown) {
      texts.push_back("and " + std::to_string(problems.size() - shown) + " more");
      break;
    }
    texts.push_back(types_text(problem.types) + " " + config_text(all_dims(problem)) + " " + problem.policy);
  }
  if (texts.empty()) return "it holds nothing of kernel '" + kernel + "'";
  return "it holds: " + join(texts);
}

}  // namespace

std::unique_ptr<Evaluator> open_recorded_evaluator(const std::filesystem::path& file,
                                                   const spec::TemplatePtr& spec,
                                                   const spec::Problem& problem, const std::string& policy) {
  const db::Store recording = db::Store::open(file, db::OpenMode::read_only);
  const std::vector<db::ProblemKey> recorded = recording.problems(spec->name);
  const db::ProblemKey* other_template = nullptr;
  const db::ProblemKey* best = nullptr;
  for (const db::ProblemKey& key : recorded) {
    const spec::Instance instance(spec, problem, traits_of(key.device));
    const db::ProblemKey wanted = runtime::problem_key(instance, policy);
    if (!answers(key, wanted, problem.allowed)) continue;
    if (key.template_hash != spec->hash) {
      other_template = &key;
    } else if (best == nullptr || (key.numerics == wanted.numerics && best->numerics != wanted.numerics &&
                                   key.device == best->device)) {
      best = &key;
    }
  }
  if (best != nullptr)
    return std::make_unique<RecordedEvaluator>(recording, *best,
                                               spec::Instance(spec, problem, traits_of(best->device)));
  if (other_template != nullptr)
    throw Error(
        ErrorKind::bad_input,
        "recording '" + file.string() + "' was made with another version of kernel '" + spec->name + "'",
        "record it again with the present template, or use the template it was made with");
  throw Error(
      ErrorKind::not_found,
      "recording '" + file.string() + "' holds no " + policy + " run of " + spec->name + " " + problem.text(),
      what_is_recorded(recorded, spec->name));
}

}  // namespace warptune::tuner
