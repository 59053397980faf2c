#include "tuner/worker/worker_evaluator.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include <warptune/base/error.hpp>
#include <warptune/base/version.hpp>
#include <warptune/runtime/kernel_builder.hpp>

#include "tuner/evaluate/built_kernels.hpp"
#include "tuner/evaluate/compile_ahead.hpp"

namespace warptune::tuner {
namespace {

constexpr std::size_t part_bytes = std::size_t{4} << 20;  // of an operand, in one message

void add(Spent& sum, const Spent& more) {
  sum.gpu_s += more.gpu_s;
  for (const auto& [phase, seconds] : more.phase_s) sum.phase_s[phase] += seconds;
}

class WorkerEvaluator final : public Evaluator {
 public:
  WorkerEvaluator(const WorkerParts& parts, const spec::Instance& instance, const HostOperands& operands)
      : parts_(parts),
        instance_(instance),
        operands_(operands),
        builder_(std::make_shared<PoolClient>(parts.pool, [this] { return cancelled_ || parts_.stopped(); }),
                 {parts.cache_folder, parts.pool->workers()}),
        built_(builder_, instance_, parts.worker.device().architecture()),
        ahead_(built_, [this] { cancelled_ = true; }) {
    require_fitting(instance_, operands_);
    // The worker makes operands and reference ready while the first kernels are compiled.
    if (!parts_.worker.answer_is_due()) post_open();
  }

  ~WorkerEvaluator() override {
    if (parts_.opened_by == this) parts_.opened_by = nullptr;
  }

  const spec::Instance& instance() const override { return instance_; }
  db::Origin origin() const override { return db::Origin::measured; }

  bool has_callers_operands() const override { return !operands_.empty(); }
  HostOperands callers_operands() const override { return operands_; }

  db::Toolchain toolchain() const override {
    const runtime::DeviceInfo& device = parts_.worker.device();
    const runtime::Compiler& compiler = builder_.compiler();
    return {device.driver_version, device.driver_name, compiler.version(), compiler.headers_hash(), version};
  }

  // Returns at once: what comes next is compiled while what came before is measured.
  void prepare(std::span<const spec::Config> configs,
               const std::function<void(std::size_t, std::size_t)>&) override {
    ahead_.add(configs);
  }

  Outcome evaluate(const spec::Config& config) override {
    const Outcome judged = judge(config);
    if (judged.status != OutcomeStatus::ok) return judged;
    Outcome outcome = measure(config, judged);
    // A context that met a fault serves nobody after it.
    if (outcome.status == OutcomeStatus::crashed) lose_worker();
    if (const auto time_ns = outcome.time_ns(); outcome.status == OutcomeStatus::ok && time_ns)
      best_ns_ = best_ns_ ? std::min(*best_ns_, *time_ns) : time_ns;
    return outcome;
  }

  double time_block(const spec::Config& config) override {
    const Outcome judged = judge(config);
    if (judged.status != OutcomeStatus::ok) throw CandidateFailed(judged);
    for (bool again = true;; again = false) {
      const Reply reply = ask(config_message(MessageKind::time_block, config));
      try {
        if (reply.message && reply.message->kind != MessageKind::failed) {
          const TimedBlock block = read_timed_block(*reply.message);
          spent_ = block.spent;
          return block.time_ns;
        }
      } catch (const Error& error) {
        lose_worker();
        throw CandidateFailed(failed(judged, OutcomeStatus::crashed, error.what()));
      }
      if (reply.message) {
        const Error error = read_error(*reply.message);
        if (!runtime::context_is_lost(error)) throw error;
        lose_worker();
        throw CandidateFailed(failed(judged, OutcomeStatus::crashed, error.what()));
      }
      if (again && reply.loss->from_outside) continue;
      throw CandidateFailed(failed(judged, reply.loss->status, reply.loss->reason));
    }
  }

  // The race that follows starts when nothing is compiled any more.
  void retain_only(std::span<const spec::Config> configs) override {
    ahead_.wait();
    if (!is_open()) return;  // nothing is held
    (void)ask(configs_message({configs.begin(), configs.end()}));
  }

  // A worker that is lost here is replaced when it is needed next; it takes what it saw along.
  Conditions conditions() override {
    if (!is_open()) return {};
    const Reply reply = ask({MessageKind::conditions, {}});
    if (!reply.message) return {};
    try {
      return read_conditions(*reply.message);
    } catch (const Error&) {
      lose_worker();
      return {};
    }
  }

  void renew_operands() override {
    if (!is_open()) return;
    const Reply reply = ask({MessageKind::renew, {}});
    if (reply.message && reply.message->kind == MessageKind::failed) throw read_error(*reply.message);
  }

  std::unique_ptr<Evaluator> at(const std::map<std::string, std::int64_t, std::less<>>& dims) override {
    return make_worker_evaluator(parts_, instance_.with_dims(dims));
  }

  std::map<std::string, double> phase_seconds() const override {
    Spent sum = spent_before_;
    add(sum, spent_);
    sum.phase_s["compile"] += waited_s_;
    return sum.phase_s;
  }
  double gpu_seconds() const override { return spent_before_.gpu_s + spent_.gpu_s; }
  std::optional<double> limit_bytes_per_s() const override { return limit_bytes_per_s_; }

 private:
  static Outcome failed(Outcome outcome, OutcomeStatus status, std::string reason) {
    outcome.status = status;
    outcome.reason = std::move(reason);
    return outcome;
  }

  RequestLimits limits() const { return {parts_.options.limits.launch_s, parts_.options.limits.candidate_s}; }

  Outcome judge(const spec::Config& config) {
    const auto start = Clock::now();
    ahead_.wait_for(config);
    Outcome outcome = built_.judge(config);
    waited_s_ += std::chrono::duration<double>(Clock::now() - start).count();
    return outcome;
  }

  // Precondition: nothing speaks against launching it.
  Outcome measure(const spec::Config& config, const Outcome& judged) {
    for (bool again = true;; again = false) {
      const Reply reply = ask(config_message(MessageKind::evaluate, config));
      if (!reply.message) {
        if (again && reply.loss->from_outside) continue;
        return failed(judged, reply.loss->status, reply.loss->reason);
      }
      if (reply.message->kind == MessageKind::failed) throw read_error(*reply.message);
      try {
        Evaluated evaluated = read_evaluated(*reply.message);
        spent_ = evaluated.spent;
        evaluated.outcome.config = config;
        return std::move(evaluated.outcome);
      } catch (const Error& error) {
        lose_worker();
        return failed(judged, OutcomeStatus::crashed, error.what());
      }
    }
  }

  // Sends a request to a worker that has this problem open.
  Reply ask(const Message& message) {
    open();
    Reply reply = parts_.worker.request(message, limits());
    if (!reply.message) forget_worker();
    return reply;
  }

  bool is_open() const { return opened_ == parts_.worker.generation() && parts_.opened_by == this; }

  void post_open() {
    parts_.worker.require();
    for (const auto& [buffer, bytes] : operands_)
      for (std::size_t at = 0; at < bytes.size(); at += part_bytes) {
        const auto part = bytes.subspan(at, std::min(part_bytes, bytes.size() - at));
        parts_.worker.tell(
            to_message(OperandPart{buffer, {reinterpret_cast<const char*>(part.data()), part.size()}}));
      }
    OpenRequest request;
    request.spec = instance_.spec_ptr();
    request.problem = instance_.problem();
    request.policy = parts_.options.policy;
    request.seed = parts_.options.seed;
    request.cache_folder = parts_.cache_folder;
    request.ceilings = parts_.ceilings;
    request.best_ns = best_ns_;
    request.early_stop = parts_.options.early_stop;
    parts_.worker.post(to_message(request));
    parts_.opened_by = this;
  }

  // Compiles the reference kernel, fills the operands and measures the device's ceiling.
  RequestLimits open_limits() const {
    const WorkerLimits& most = parts_.options.limits;
    return {0, most.compile_s > 0 && most.candidate_s > 0 ? most.compile_s + most.candidate_s : 0};
  }

  void open() {
    for (bool again = true; !is_open() || parts_.worker.answer_is_due(); again = false) {
      const bool ours = parts_.worker.answer_is_due() && parts_.opened_by == this;
      if (!ours) {
        // What another evaluator asked for and did not wait for.
        if (parts_.worker.answer_is_due()) (void)parts_.worker.collect(open_limits());
        post_open();
      }
      const Reply reply = parts_.worker.collect(open_limits());
      if (reply.message) {
        if (reply.message->kind == MessageKind::failed) throw read_error(*reply.message);
        const Opened opened = read_opened(*reply.message);
        parts_.ceilings = opened.ceilings;
        limit_bytes_per_s_ = opened.limit_bytes_per_s;
        add(spent_before_, spent_);
        spent_ = opened.spent;
        opened_ = parts_.worker.generation();
        return;
      }
      if (again && reply.loss->from_outside) continue;
      throw Error(ErrorKind::cuda,
                  "'" + instance_.spec().name + "' cannot be measured: " + reply.loss->reason +
                      " while its operands and reference were made ready",
                  "look at [check] reference, or raise --candidate-limit");
    }
  }

  void forget_worker() {
    add(spent_before_, spent_);
    spent_ = {};
    opened_ = 0;
  }

  void lose_worker() {
    parts_.worker.discard();
    forget_worker();
  }

  WorkerParts parts_;
  spec::Instance instance_;
  const HostOperands operands_;
  std::atomic<bool> cancelled_ = false;
  runtime::KernelBuilder builder_;
  BuiltKernels built_;
  std::uint64_t opened_ = 0;  // generation of the worker that has this problem open; 0: none
  std::optional<double> best_ns_, limit_bytes_per_s_;
  Spent spent_before_, spent_;  // in workers that are gone, in the present one
  double waited_s_ = 0;         // for compilers
  CompileAhead ahead_;          // last: its threads use the others
};

}  // namespace

std::unique_ptr<Evaluator> make_worker_evaluator(const WorkerParts& parts, const spec::Instance& instance,
                                                 const HostOperands& operands) {
  return std::make_unique<WorkerEvaluator>(parts, instance, operands);
}

}  // namespace warptune::tuner
