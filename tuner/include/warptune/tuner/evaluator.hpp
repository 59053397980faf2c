// The seam above Device: candidate in, outcome and timing blocks out. `cuda:N` and `recorded:FILE` stand behind it.
// One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <warptune/db/records.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/tuner/conditions.hpp>
#include <warptune/tuner/host_operands.hpp>
#include <warptune/tuner/outcome.hpp>

namespace warptune::tuner {

// A candidate whose outcome was ok failed when it was timed again.
class CandidateFailed : public std::runtime_error {
 public:
  // Precondition: the outcome's status is not ok.
  explicit CandidateFailed(Outcome outcome)
      : std::runtime_error(outcome.reason), outcome_(std::make_shared<const Outcome>(std::move(outcome))) {}
  const Outcome& outcome() const noexcept { return *outcome_; }

 private:
  std::shared_ptr<const Outcome> outcome_;
};

// The evaluator was asked to stop and gave up what it had in hand.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

// Members that build or run something may throw Interrupted where the evaluator has been given a way to be stopped.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  // The problem being evaluated. Evaluators are made for one instance.
  virtual const spec::Instance& instance() const = 0;
  virtual db::Origin origin() const = 0;
  virtual db::Toolchain toolchain() const = 0;
  // Whether candidates are timed over values that the caller brought. What was measured over others does not answer for it.
  virtual bool has_callers_operands() const { return false; }
  // Those values, where they can still be looked at in host memory; else none.
  virtual HostOperands callers_operands() const { return {}; }

  // Tells which candidates come next, so that they can be compiled together. `progress(done, total)` may be called.
  virtual void prepare(std::span<const spec::Config> configs,
                       const std::function<void(std::size_t done, std::size_t total)>& progress) = 0;
  // Builds, verifies and screens one candidate. Failures are outcomes; throws Error only for a broken environment.
  virtual Outcome evaluate(const spec::Config& config) = 0;
  // One more block of a candidate whose outcome was ok, here or in an earlier process whose outcomes were stored (what is not
  // built or loaded yet is, as prepare() said): time per call in ns. Used by the deciding race. Throws CandidateFailed where
  // only that candidate is at fault, and others can be timed after it.
  virtual double time_block(const spec::Config& config) = 0;
  // How many blocks time_block can give before it repeats itself; nothing: no limit, each is a new measurement.
  virtual std::optional<int> independent_blocks(const spec::Config&) const { return std::nullopt; }
  // What the card went through since this was asked last.
  virtual Conditions conditions() { return {}; }
  // Places the operands anew, so that what is timed next does not hang on where they happened to lie.
  virtual void renew_operands() {}
  // Forgets what was kept for the candidates that are out of the race (graphs, modules).
  virtual void retain_only(std::span<const spec::Config> configs) = 0;

  // An evaluator of the same template, types and settings at other dims; null where there can be none (a recording). The two
  // take turns, and this one must outlive it. Errors: those of making one.
  virtual std::unique_ptr<Evaluator> at(const std::map<std::string, std::int64_t, std::less<>>&) {
    return nullptr;
  }

  // Seconds spent per phase so far: compile, load, verify, measure.
  virtual std::map<std::string, double> phase_seconds() const = 0;
  virtual double gpu_seconds() const = 0;
  // What the device's memory could give to this problem's mix of reads and writes, in bytes per second, where known.
  virtual std::optional<double> limit_bytes_per_s() const = 0;
};

}  // namespace warptune::tuner
