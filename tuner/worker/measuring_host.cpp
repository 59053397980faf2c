#include <exception>
#include <map>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/tuner/device_evaluator.hpp>

#include "tuner/measure/handles.hpp"
#include "tuner/worker/channel.hpp"
#include "tuner/worker/host.hpp"

namespace warptune::tuner {
namespace {

class MeasuringHost {
 public:
  MeasuringHost(Channel& channel, std::shared_ptr<runtime::Device> device, const OpenCompiler& open_compiler)
      : channel_(channel),
        device_(std::move(device)),
        open_compiler_(open_compiler),
        sensors_(runtime::open_sensors(device_->info())),
        stream_(*device_) {}

  // Nothing: the message asks for no answer.
  std::optional<Message> answer(const Message& request) {
    switch (request.kind) {
      case MessageKind::open:
        return open(read_open_request(request));
      case MessageKind::evaluate: {
        Outcome outcome = evaluator().evaluate(read_config_message(request));
        return to_message(Evaluated{std::move(outcome), spent()});
      }
      case MessageKind::time_block: {
        const double time_ns = evaluator().time_block(read_config_message(request));
        return to_message(TimedBlock{time_ns, spent()});
      }
      case MessageKind::retain_only:
        evaluator().retain_only(read_configs_message(request));
        return Message{MessageKind::done, {}};
      case MessageKind::conditions:
        return to_message(evaluator().conditions());
      case MessageKind::renew:
        evaluator().renew_operands();
        return Message{MessageKind::done, {}};
      case MessageKind::operand:
        take(read_operand_part(request));
        return std::nullopt;
      default:
        throw Error(ErrorKind::bad_input,
                    std::string("a measuring worker cannot answer '") + to_string(request.kind) + "'");
    }
  }

 private:
  DeviceEvaluator& evaluator() {
    if (!evaluator_) throw Error(ErrorKind::usage, "no problem is open");
    return *evaluator_;
  }

  // An error would be an answer that nobody awaits: the next `open` tells.
  void take(const OperandPart& part) {
    try {
      brought_[std::string(part.buffer)] += part.bytes;
    } catch (const std::bad_alloc&) {
      brought_.clear();
      too_much_brought_ = true;
    }
  }

  Message open(const OpenRequest& request) {
    if (std::exchange(too_much_brought_, false)) throw std::bad_alloc();
    const std::map<std::string, std::string> brought = std::exchange(brought_, {});
    evaluator_.reset();  // before memory is taken for the next problem
    if (!builder_) {
      runtime::BuilderOptions options;
      options.cache_folder = request.cache_folder;
      builder_ = std::make_shared<runtime::KernelBuilder>(open_compiler_(), std::move(options));
    }
    DeviceEvaluatorOptions options;
    options.policy = request.policy;
    options.seed = request.seed;
    options.ceilings = request.ceilings;
    options.sensors = sensors_;
    options.stream = stream_.get();
    options.best_ns = request.best_ns;
    for (const auto& [buffer, bytes] : brought) options.operands[buffer] = std::as_bytes(std::span(bytes));
    options.early_stop = request.early_stop;
    options.on_step = [this](const char* step) { channel_.send(text_message(MessageKind::step, step)); };
    const spec::Instance instance(request.spec, request.problem, device_->info().traits);
    evaluator_ = make_device_evaluator(device_, builder_, instance, options);
    return to_message(Opened{evaluator_->ceilings(), evaluator_->limit_bytes_per_s().value(), spent()});
  }

  Spent spent() const { return {evaluator_->gpu_seconds(), evaluator_->phase_seconds()}; }

  Channel& channel_;
  std::shared_ptr<runtime::Device> device_;
  const OpenCompiler& open_compiler_;
  std::shared_ptr<runtime::KernelBuilder> builder_;
  std::shared_ptr<runtime::Sensors> sensors_;
  OwnedStream stream_;  // of all evaluators
  std::unique_ptr<DeviceEvaluator> evaluator_;
  std::map<std::string, std::string> brought_;  // operands for the next problem
  bool too_much_brought_ = false;
};

// What the action gives, or the error that it threw, as a message.
template <class Action>
std::optional<Message> answer_or_error(Action action) {
  try {
    return action();
  } catch (const Error& error) {
    return to_message(error);
  } catch (const std::bad_alloc&) {
    return to_message(Error(ErrorKind::out_of_memory, "out of host memory", "use smaller dims"));
  } catch (const std::exception& error) {
    return to_message(Error(ErrorKind::internal, std::string("unexpected: ") + error.what()));
  }
}

}  // namespace

int serve_measuring(int socket, const OpenDevice& open_device, const OpenCompiler& open_compiler) {
  Channel channel(socket);
  try {
    std::optional<MeasuringHost> host;
    const auto hello = answer_or_error([&]() -> std::optional<Message> {
      const std::shared_ptr<runtime::Device> device = open_device();
      Message message = to_message(device->info());
      host.emplace(channel, device, open_compiler);
      return message;
    });
    channel.send(*hello);
    if (!host) return 1;
    for (;;) {
      const std::optional<Message> request = channel.receive();
      if (const auto answer = answer_or_error([&] { return host->answer(*request); })) channel.send(*answer);
    }
  } catch (const Error& error) {
    // The tuner is gone, or speaks another language.
    return error.kind() == ErrorKind::io ? 0 : 1;
  }
}

}  // namespace warptune::tuner
