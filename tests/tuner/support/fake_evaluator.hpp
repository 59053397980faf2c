// An evaluator with scripted outcomes: what the loop does can be worked out by hand.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <warptune/tuner/evaluator.hpp>

namespace warptune::test {

class FakeEvaluator : public tuner::Evaluator {
 public:
  // True time of a config in ns; a status other than ok makes it fail with the given reason.
  struct Script {
    double time_ns = 1000;
    tuner::OutcomeStatus status = tuner::OutcomeStatus::ok;
    std::string reason;
    spec::KernelTraits traits{32, 0, 0, 1024};
  };
  using ScriptOf = std::function<Script(const spec::Config&)>;

  // `noise`: relative standard deviation of a block.
  FakeEvaluator(spec::Instance instance, ScriptOf script, double noise = 0.001)
      : instance_(std::move(instance)), script_(std::move(script)), noise_(noise) {
    toolchain_.driver_version = 13000;
    toolchain_.driver_name = "580.1";
    toolchain_.nvrtc_version = "13.0";
    toolchain_.headers_hash = "h";
    toolchain_.warptune_version = "test";
  }

  const spec::Instance& instance() const override { return instance_; }
  db::Origin origin() const override { return origin_; }
  db::Toolchain toolchain() const override { return toolchain_; }
  bool has_callers_operands() const override { return has_callers_operands_ || !callers_operands_.empty(); }
  tuner::HostOperands callers_operands() const override { return callers_operands_; }

  void prepare(std::span<const spec::Config> configs,
               const std::function<void(std::size_t, std::size_t)>& progress) override {
    prepared.insert(prepared.end(), configs.begin(), configs.end());
    progress(configs.size(), configs.size());
  }

  tuner::Outcome evaluate(const spec::Config& config) override {
    evaluated.push_back(config);
    if (on_evaluate) on_evaluate(evaluated.size());
    const Script script = script_(config);
    tuner::Outcome outcome;
    outcome.config = config;
    outcome.status = script.status;
    outcome.reason = script.reason;
    outcome.traits = script.traits;
    outcome.alignment_bytes = static_cast<int>(instance_.alignment_class(config));
    outcome.verified_ragged = true;
    if (script.status == tuner::OutcomeStatus::ok)
      for (int i = 0; i < 3; ++i) outcome.blocks_ns.push_back(noisy(script.time_ns));
    return outcome;
  }

  double time_block(const spec::Config& config) override {
    ++blocks_timed;
    return noisy(race_time ? race_time(config) : script_(config).time_ns);
  }
  std::optional<int> independent_blocks(const spec::Config&) const override { return independent_blocks_; }
  tuner::Conditions conditions() override {
    return conditions_of_round ? conditions_of_round() : tuner::Conditions();
  }
  void renew_operands() override { ++renewals; }
  void retain_only(std::span<const spec::Config> configs) override {
    retained.assign(configs.begin(), configs.end());
  }
  std::unique_ptr<tuner::Evaluator> at(
      const std::map<std::string, std::int64_t, std::less<>>& dims) override {
    if (!at_dims) return nullptr;
    return at_dims(instance_.with_dims(dims));
  }
  std::map<std::string, double> phase_seconds() const override { return {{"compile", 1}, {"measure", 2}}; }
  double gpu_seconds() const override { return 0.5; }
  std::optional<double> limit_bytes_per_s() const override { return 4e12; }

  std::function<std::unique_ptr<tuner::Evaluator>(spec::Instance)> at_dims;  // empty: there is none
  std::vector<spec::Config> prepared, evaluated, retained;
  std::size_t blocks_timed = 0;
  std::function<void(std::size_t evaluated)> on_evaluate;
  std::function<double(const spec::Config&)> race_time;    // where it differs from the screened one
  std::function<tuner::Conditions()> conditions_of_round;  // nothing known where not set
  int renewals = 0;
  db::Origin origin_ = db::Origin::measured;
  db::Toolchain toolchain_;
  std::optional<int> independent_blocks_;
  bool has_callers_operands_ = false;     // and they are gone
  tuner::HostOperands callers_operands_;  // and they can be looked at

 private:
  double noisy(double time_ns) {
    return time_ns * (1 + noise_ * std::normal_distribution<double>()(random_));
  }

  spec::Instance instance_;
  ScriptOf script_;
  double noise_;
  std::mt19937_64 random_{42};
};

}  // namespace warptune::test
