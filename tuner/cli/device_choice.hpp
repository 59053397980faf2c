// What --device names, and what can be known or measured there. One thread at a time.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <warptune/db/store.hpp>
#include <warptune/runtime/device.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/tuner/evaluator.hpp>
#include <warptune/tuner/host_operands.hpp>

#include "tuner/cli/command.hpp"

namespace warptune::tuner {

struct DeviceChoice {
  std::optional<int> ordinal;                      // cuda:N
  std::optional<std::filesystem::path> recording;  // recorded:FILE
};

// Error usage for anything but "cuda:N" and "recorded:FILE"; an empty text is cuda:0.
DeviceChoice parse_device(const std::string& text);

// Devices that share the problems of one command: "cuda:0,1", "cuda:0,cuda:2", "cuda:all", or one as above. Errors: usage (also
// a device named twice), no_device (all of none).
std::vector<DeviceChoice> parse_devices(const std::string& text);

struct EvaluatorSettings {
  std::string policy = "cold";
  bool disk_cache = true;
  std::uint64_t seed = 1;                   // of the operands' values
  const std::atomic<bool>* stop = nullptr;  // set by a signal handler
  bool early_stop = true;                   // what is much slower than the best is not timed at length
  HostOperands operands = {};               // the user's own, of the one problem that is opened
};

// Makes evaluators for the problems of one run.
class EvaluatorSource {
 public:
  virtual ~EvaluatorSource() = default;
  virtual std::unique_ptr<Evaluator> open(const spec::TemplatePtr& spec, const spec::Problem& problem) = 0;
  // Nothing for a recording, which may hold several.
  virtual std::optional<runtime::DeviceInfo> device() const { return std::nullopt; }
  // Whether another tuner measures on the same GPU.
  virtual bool shares_gpu() const { return false; }
};

// Error not_found: no such recording.
std::unique_ptr<EvaluatorSource> open_recorded_source(const std::filesystem::path& recording,
                                                      const std::string& policy);

// The device whose records a command looks at, without measuring anything: the one named by --device; else
// the first GPU here; else the first one in the database. `present` is this machine's toolchain, empty where
// there is no GPU.
struct KnownDevice {
  spec::DeviceTraits traits;
  db::Toolchain present;
  std::string source;  // "cuda:0", "recorded:FILE", "known from the database"
};
// `store` may be null. Error no_device when nothing says what the device is.
KnownDevice known_device(const Context& context, const db::Store* store);

// This machine's driver and NVRTC, as far as both are there; empty members otherwise. Never throws for a
// missing part.
db::Toolchain present_toolchain();

}  // namespace warptune::tuner
