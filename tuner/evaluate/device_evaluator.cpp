#include <warptune/tuner/device_evaluator.hpp>

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

#include <warptune/base/error.hpp>
#include <warptune/base/version.hpp>

#include "tuner/evaluate/candidate_kernels.hpp"
#include "tuner/measure/block_watch.hpp"
#include "tuner/measure/calibration.hpp"
#include "tuner/measure/operand_sets.hpp"
#include "tuner/measure/scratch_ring.hpp"
#include "tuner/measure/timer.hpp"
#include "tuner/verify/verifier.hpp"

namespace warptune::tuner {
namespace {

// Inputs and references of verification may occupy this share of the free memory for good.
constexpr double reference_share = 0.25;

// Screening: blocks of the usual length; the first, of a small graph, warms up and tells how many calls fill one.
constexpr std::size_t warm_up_calls = 8;
constexpr std::size_t screen_calls_most = 256;
constexpr int screen_blocks = 2;
// A candidate whose warm-up is this many times slower than the best so far is not worth more of them.
constexpr double hopeless_factor = 1.5;
// One that is this many times slower in its first block will not race; it gets no second.
constexpr double slower_factor = 1.25;
// The race: the usual length, and twice that for calls of which it would hold only a few. A call that is longer is a block.
constexpr double long_call_ns = 50e3;
constexpr double race_block_of_long_ns = 2 * usual_block_ns;
constexpr std::size_t race_calls_most = 1000;

// Adds the time until its end to a phase.
class PhaseClock {
 public:
  explicit PhaseClock(double& seconds) : seconds_(seconds) {}
  ~PhaseClock() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<spec::Instance> instances_to_verify(const spec::Instance& tuned) {
  std::vector<spec::Instance> instances{tuned};
  for (const auto& dims : tuned.also_dims()) instances.push_back(tuned.with_dims(dims));
  return instances;
}

class CudaEvaluator final : public DeviceEvaluator {
 public:
  CudaEvaluator(std::shared_ptr<runtime::Device> device, std::shared_ptr<runtime::KernelBuilder> builder,
                const spec::Instance& instance, const DeviceEvaluatorOptions& options)
      : options_(options),
        device_(std::move(device)),
        builder_(std::move(builder)),
        instance_(instance),
        own_stream_(options.stream ? nullptr : std::make_unique<OwnedStream>(*device_)),
        stream_(options.stream ? *options.stream : own_stream_->get()),
        helpers_(*device_, *builder_),
        kernels_(*device_, *builder_, instance_),
        given_(*device_, instance_, options.operands),
        reference_modules_(*device_),
        references_(*device_, helpers_, instances_to_verify(instance_), build_reference(), given_, stream_,
                    static_cast<std::size_t>(static_cast<double>(device_->free_bytes()) * reference_share),
                    options.seed),
        verifier_(*device_, helpers_, references_, stream_),
        policy_(parse_policy(options.policy)),
        operands_(make_operands()),
        scratch_(*device_, stream_),
        watch_(*device_, helpers_, stream_),
        timer_(*device_, stream_, feed()),
        ceilings_(options.ceilings ? *options.ceilings : measure_ceilings(*device_, helpers_, stream_)),
        best_ns_(options.best_ns) {
    timer_.cancel_fixed_cost(
        [this](std::size_t, runtime::StreamHandle stream) { helpers_.do_nothing(stream); });
    (void)watch_.take();
  }

  const spec::Instance& instance() const override { return instance_; }
  db::Origin origin() const override { return db::Origin::measured; }

  bool has_callers_operands() const override { return given_.any(); }

  db::Toolchain toolchain() const override {
    const runtime::DeviceInfo& info = device_->info();
    return {info.driver_version, info.driver_name, builder_->compiler().version(),
            builder_->compiler().headers_hash(), version};
  }

  void prepare(std::span<const spec::Config> configs,
               const std::function<void(std::size_t, std::size_t)>& progress) override {
    const PhaseClock clock(phases_["compile"]);
    kernels_.built().build(configs, progress);
  }

  Outcome evaluate(const spec::Config& config) override {
    require_health();
    Outcome outcome = judge(config);
    if (outcome.status != OutcomeStatus::ok) return outcome;
    const auto end = [&outcome](OutcomeStatus status, std::string reason) {
      outcome.status = status;
      outcome.reason = std::move(reason);
      return outcome;
    };
    const KernelSet kernels = kernels_.kernels(config);
    try {
      load(config, kernels);
      const Verification verification = verify(config, kernels);
      outcome.max_error = verification.max_error;
      outcome.verified_ragged = verification.verified_ragged;
      if (!verification.passed) return end(OutcomeStatus::wrong_result, verification.reason);
      screen(outcome, kernels);
    } catch (const Error& error) {
      return end(failure_status(error), error.what());
    }
    return outcome;
  }

  double time_block(const spec::Config& config) override {
    require_health();
    const PhaseClock clock(phases_["measure"]);
    auto found = finalists_.find(config);
    if (found == finalists_.end()) {
      kernels_.built().build({&config, 1});
      auto finalist = std::make_unique<BoundCandidate>(bind(config, kernels_.kernels(config)));
      finalist->graph = race_graph(enqueue_of(*finalist));
      found = finalists_.emplace(config, std::move(finalist)).first;
    }
    return timer_.time_block(found->second->graph);
  }

  double time_call_block(const std::string& name, const Call& call) override {
    require_health();
    const PhaseClock clock(phases_["measure"]);
    auto found = calls_.find(name);
    if (found == calls_.end()) {
      const Enqueue enqueue = [&](std::size_t set, runtime::StreamHandle stream) {
        call(operands_->pointers(set), stream);
      };
      found = calls_.emplace(name, race_graph(enqueue)).first;
    }
    return timer_.time_block(found->second);
  }

  OperandFeed operand_feed() const override {
    return {operands_->count(), operands_->may_revisit(), operands_->scrub_bytes(),
            policy_ == CachePolicy::hot, timer_.fixed_cost_ns()};
  }

  void retain_only(std::span<const spec::Config> configs) override {
    std::erase_if(finalists_, [&](const auto& entry) {
      return std::find(configs.begin(), configs.end(), entry.first) == configs.end();
    });
    kernels_.retain_only(configs);
  }

  std::unique_ptr<Evaluator> at(const std::map<std::string, std::int64_t, std::less<>>& dims) override {
    DeviceEvaluatorOptions options = options_;
    options.ceilings = ceilings_;
    options.stream = stream_;
    options.best_ns.reset();
    options.operands.clear();  // they are of these dims
    return std::make_unique<CudaEvaluator>(device_, builder_, instance_.with_dims(dims), options);
  }

  std::map<std::string, double> phase_seconds() const override { return phases_; }
  double gpu_seconds() const override { return (verify_gpu_ns_ + timer_.gpu_ns()) / 1e9; }
  const Ceilings& ceilings() const override { return ceilings_; }
  std::optional<double> limit_bytes_per_s() const override {
    return tuner::limit_bytes_per_s(ceilings_, written_share());
  }

  Conditions conditions() override {
    require_health();
    Conditions seen = watch_.take();
    if (options_.sensors == nullptr) return seen;
    const runtime::SensorReading reading = options_.sensors->read();
    seen.slowdown_reasons = reading.slowdown_reasons;
    seen.temperature_c = reading.temperature_c;
    return seen;
  }

  // Where memory is too short for a second set, the old one stays.
  void renew_operands() override {
    require_health();
    std::unique_ptr<OperandSets> fresh;
    try {
      fresh = make_operands();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::out_of_memory) throw;
      return;
    }
    finalists_.clear();  // their graphs hold the old addresses
    calls_.clear();
    operands_ = std::move(fresh);
    timer_.set_feed(feed());
  }

 private:
  // A config bound to its functions and to scratch memory.
  struct BoundCandidate {
    BoundPlan plan;
    ScratchRing::Share scratch;
    TimedGraph graph;
  };

  runtime::FunctionHandle build_reference() {
    runtime::require_support(builder_->compiler(), device_->info().architecture());
    runtime::CompileRequest request =
        runtime::compile_request(instance_, instance_.spec().default_config, device_->info().architecture());
    request.entries = {instance_.check_plan().entry};
    const runtime::CompileResult result = builder_->build(request).front();
    if (!result.kernel) {
      throw Error(ErrorKind::compile, "the reference kernel does not compile: " + result.error,
                  "correct [check] reference of " + instance_.spec().name);
    }
    return reference_modules_.function(*result.kernel);
  }

  Feed feed() {
    return {operands_->count(), operands_->may_revisit(),
            [this](std::size_t used) {
              operands_->prepare(used);
              scratch_.reset();
            },
            &watch_};
  }

  std::unique_ptr<OperandSets> make_operands() {
    return std::make_unique<OperandSets>(*device_, helpers_, instance_, policy_, given_, stream_,
                                         options_.seed);
  }

  // Of the bytes that a call moves.
  double written_share() const {
    const auto moved = instance_.cost_bytes();
    if (!moved || *moved <= 0) return 0;
    const std::vector<spec::BufferLayout> layouts = instance_.buffers(instance_.spec().default_config);
    double written = 0;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      const spec::BufferRole role = instance_.spec().buffers[i].role;
      if (role == spec::BufferRole::out || role == spec::BufferRole::inout)
        written += static_cast<double>(layouts[i].bytes());
    }
    return std::clamp(written / static_cast<double>(*moved), 0.0, 1.0);
  }

  Outcome judge(const spec::Config& config) {
    const PhaseClock clock(phases_["compile"]);
    return kernels_.built().judge(config);
  }

  void step(const char* name) const {
    if (options_.on_step) options_.on_step(name);
  }

  void load(const spec::Config& config, const KernelSet& kernels) {
    const PhaseClock clock(phases_["load"]);
    step("load");
    for (const std::string& entry : instance_.entries(config)) kernels.function(entry);
  }

  Verification verify(const spec::Config& config, const KernelSet& kernels) {
    const PhaseClock clock(phases_["verify"]);
    step("verify");
    Verification verification = verifier_.verify(config, kernels);
    verify_gpu_ns_ += verification.gpu_ns;
    return verification;
  }

  BoundCandidate bind(const spec::Config& config, const KernelSet& kernels) {
    BoundPlan plan(*device_, instance_, config, kernels);
    ScratchRing::Share scratch = scratch_.share(instance_.spec().buffers, plan.layouts());
    return {std::move(plan), std::move(scratch), {}};
  }

  // Valid while `bound` lives.
  Enqueue enqueue_of(const BoundCandidate& bound) {
    return [this, &bound, call = std::size_t{0}](std::size_t set, runtime::StreamHandle stream) mutable {
      std::vector<runtime::DevicePointer> pointers = operands_->pointers(set);
      for (std::size_t i = 0; i < pointers.size(); ++i) {
        if (const runtime::DevicePointer scratch = bound.scratch.pointer(i, call)) pointers[i] = scratch;
      }
      ++call;
      bound.plan.enqueue(*device_, pointers, stream);
    };
  }

  // Readies caches and clocks; time per call in ns. Where calls are known to be long one is enough, and where they fill a block
  // what they find unready is no matter: more of each config would cost more than all else.
  double warm_up(const Enqueue& enqueue) {
    const double known_ns = best_ns_.value_or(0);
    TimedGraph graph = timer_.capture(enqueue, known_ns > long_call_ns ? 1 : warm_up_calls);
    const double first_ns = timer_.time_block(graph);
    return known_ns > usual_block_ns ? first_ns : timer_.time_block(graph);
  }

  // A graph that fills one block of the race, replayed once already.
  TimedGraph race_graph(const Enqueue& enqueue) {
    const double call_ns = warm_up(enqueue);
    const bool holds_few = call_ns >= long_call_ns && call_ns < usual_block_ns;
    const double block_ns = holds_few ? race_block_of_long_ns : usual_block_ns;
    TimedGraph graph = timer_.capture(enqueue, timer_.calls_for(block_ns, call_ns, race_calls_most),
                                      policy_ == CachePolicy::hot);
    timer_.time_block(graph);
    return graph;
  }

  // So much that it is not timed further.
  bool is_slower(double time_ns, double factor) const {
    return options_.early_stop && best_ns_ && time_ns > factor * *best_ns_;
  }

  void screen(Outcome& outcome, const KernelSet& kernels) {
    const PhaseClock clock(phases_["measure"]);
    step("measure");
    const BoundCandidate bound = bind(outcome.config, kernels);
    const Enqueue enqueue = enqueue_of(bound);
    const double call_ns = warm_up(enqueue);
    if (is_slower(call_ns, hopeless_factor)) {
      outcome.blocks_ns.push_back(call_ns);
      return;
    }
    TimedGraph graph = timer_.capture(enqueue, timer_.calls_for(usual_block_ns, call_ns, screen_calls_most));
    for (int block = 0; block < screen_blocks; ++block) {
      outcome.blocks_ns.push_back(timer_.time_block(graph));
      if (is_slower(outcome.blocks_ns.back(), slower_factor)) break;
    }
    const double time_ns = *outcome.time_ns();
    if (!best_ns_ || time_ns < *best_ns_) best_ns_ = time_ns;
  }

  // What the Error being handled says of the candidate that ran. Memory that none has fitted in yet is no fault of the
  // candidate's: rethrown.
  OutcomeStatus failure_status(const Error& error) {
    if (error.kind() == ErrorKind::out_of_memory) {
      if (!best_ns_) throw;
      return OutcomeStatus::resource_limit;
    }
    try {
      device_->synchronize(stream_);
    } catch (const Error& sticky) {
      broken_ = sticky.what();
      return OutcomeStatus::crashed;
    }
    return OutcomeStatus::launch_error;
  }

  void require_health() const {
    if (broken_.empty()) return;
    throw Error(ErrorKind::cuda, "a candidate left the GPU context unusable: " + broken_,
                "evaluate in a worker process, which is replaced after a crash");
  }

  const DeviceEvaluatorOptions options_;
  std::shared_ptr<runtime::Device> device_;
  std::shared_ptr<runtime::KernelBuilder> builder_;
  spec::Instance instance_;
  std::unique_ptr<OwnedStream> own_stream_;
  runtime::StreamHandle stream_;
  HelperKernels helpers_;
  CandidateKernels kernels_;
  GivenOperands given_;
  ModuleCache reference_modules_;
  ReferenceStore references_;
  Verifier verifier_;
  CachePolicy policy_;
  std::unique_ptr<OperandSets> operands_;
  ScratchRing scratch_;
  BlockWatch watch_;
  Timer timer_;
  std::unordered_map<spec::Config, std::unique_ptr<BoundCandidate>, spec::ConfigHash> finalists_;
  std::map<std::string, TimedGraph> calls_;
  Ceilings ceilings_;
  std::optional<double> best_ns_;
  std::map<std::string, double> phases_;
  double verify_gpu_ns_ = 0;
  std::string broken_;
};

}  // namespace

std::unique_ptr<DeviceEvaluator> make_device_evaluator(std::shared_ptr<runtime::Device> device,
                                                       std::shared_ptr<runtime::KernelBuilder> builder,
                                                       const spec::Instance& instance,
                                                       const DeviceEvaluatorOptions& options) {
  device->make_current();
  return std::make_unique<CudaEvaluator>(std::move(device), std::move(builder), instance, options);
}

std::map<std::string, double> calibrate_device(runtime::Device& device, runtime::KernelBuilder& builder) {
  device.make_current();
  const std::unique_ptr<runtime::Sensors> sensors = runtime::open_sensors(device.info());
  const OwnedStream stream(device);
  return measure_calibration(device, HelperKernels(device, builder), stream.get(), sensors.get());
}

}  // namespace warptune::tuner
