#include "tuner/cli/device_choice.hpp"

#include <charconv>

#include <warptune/base/error.hpp>
#include <warptune/base/text.hpp>
#include <warptune/base/version.hpp>
#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>

#include "tuner/evaluate/recorded_evaluator.hpp"

namespace warptune::tuner {
namespace {

constexpr std::string_view cuda_prefix = "cuda:";
constexpr std::string_view recorded_prefix = "recorded:";

class RecordedSource final : public EvaluatorSource {
 public:
  RecordedSource(std::filesystem::path file, std::string policy)
      : file_(std::move(file)), policy_(std::move(policy)) {
    db::Store::open(file_, db::OpenMode::read_only);
  }

  std::unique_ptr<Evaluator> open(const spec::TemplatePtr& spec, const spec::Problem& problem) override {
    return open_recorded_evaluator(file_, spec, problem, policy_);
  }

 private:
  std::filesystem::path file_;
  std::string policy_;
};

void add_compiler(db::Toolchain& toolchain) {
  try {
    const std::shared_ptr<runtime::Compiler> compiler = runtime::open_nvrtc();
    toolchain.nvrtc_version = compiler->version();
    toolchain.headers_hash = compiler->headers_hash();
  } catch (const Error&) {
    // Without NVRTC nothing can be compiled here, so no record can differ from what would be.
  }
}

KnownDevice gpu(int ordinal) {
  const runtime::DeviceInfo info = runtime::open_cuda_device(ordinal)->info();
  KnownDevice device{info.traits, {}, info.label};
  device.present.driver_version = info.driver_version;
  device.present.driver_name = info.driver_name;
  device.present.warptune_version = version;
  add_compiler(device.present);
  return device;
}

KnownDevice recorded(const db::Store& store, const std::string& source) {
  const std::vector<db::DeviceKey> devices = recorded_devices(store);
  if (devices.empty())
    throw Error(ErrorKind::not_found, "'" + store.path().string() + "' holds no measurements",
                "name a device with --device, or tune first");
  return {traits_of(devices.front()), {}, source};
}

}  // namespace

DeviceChoice parse_device(const std::string& text) {
  DeviceChoice choice;
  if (text.empty()) {
    choice.ordinal = 0;
    return choice;
  }
  if (text.starts_with(recorded_prefix) && text.size() > recorded_prefix.size()) {
    choice.recording = text.substr(recorded_prefix.size());
    return choice;
  }
  if (text.starts_with(cuda_prefix)) {
    int ordinal = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + cuda_prefix.size(), end, ordinal);
    if (error == std::errc() && stop == end && ordinal >= 0) {
      choice.ordinal = ordinal;
      return choice;
    }
  }
  throw Error(ErrorKind::usage, "unknown device '" + text + "'",
              "use cuda:N, such as cuda:0, or recorded:FILE; only tune takes several (cuda:0,1 or cuda:all)");
}

std::vector<DeviceChoice> parse_devices(const std::string& text) {
  std::vector<DeviceChoice> choices;
  if (text == "cuda:all") {
    std::string why;
    const int count = runtime::cuda_device_count(&why);
    if (count == 0)
      throw Error(ErrorKind::no_device, "no usable GPU", why.empty() ? "the driver lists none" : why);
    for (int ordinal = 0; ordinal < count; ++ordinal) choices.push_back({ordinal, std::nullopt});
    return choices;
  }
  if (!text.starts_with(cuda_prefix)) return {parse_device(text)};
  for (const std::string_view part : split(text, ',')) {
    const bool named = part.starts_with(cuda_prefix);
    const DeviceChoice choice = parse_device((named ? "" : std::string(cuda_prefix)) + std::string(part));
    for (const DeviceChoice& other : choices)
      if (other.ordinal == choice.ordinal)
        throw Error(ErrorKind::usage, "cuda:" + std::to_string(*choice.ordinal) + " is named twice",
                    "name each GPU once");
    choices.push_back(choice);
  }
  return choices;
}

std::unique_ptr<EvaluatorSource> open_recorded_source(const std::filesystem::path& recording,
                                                      const std::string& policy) {
  return std::make_unique<RecordedSource>(recording, policy);
}

db::Toolchain present_toolchain() {
  try {
    return gpu(0).present;
  } catch (const Error&) {
    return {};
  }
}

KnownDevice known_device(const Context& context, const db::Store* store) {
  if (!context.device.empty()) {
    const DeviceChoice choice = parse_device(context.device);
    if (choice.ordinal) return gpu(*choice.ordinal);
    return recorded(db::Store::open(*choice.recording, db::OpenMode::read_only), context.device);
  }
  std::string why;
  if (runtime::cuda_device_count(&why) > 0) return gpu(0);
  if (store == nullptr)
    throw Error(ErrorKind::no_device, "no GPU here, and no database that names one",
                why.empty() ? "use --device recorded:FILE" : why);
  return recorded(*store, "known from the database");
}

}  // namespace warptune::tuner
