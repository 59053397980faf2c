// `warptune devices`: the GPUs of this machine, and what is known of them.
#include <warptune/base/error.hpp>
#include <warptune/runtime/device.hpp>
#include <warptune/runtime/problem_key.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/cuda_source.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/device_choice.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* examples =
    "  warptune devices\n"
    "  warptune devices --calibrate\n"
    "  warptune devices --device cuda:1 --json\n";

std::vector<int> ordinals(const Context& context) {
  std::string why;
  const int count = runtime::cuda_device_count(&why);
  if (count == 0)
    throw Error(ErrorKind::no_device, "no usable GPU", why.empty() ? "the driver lists none" : why);
  std::vector<int> result;
  if (context.device.empty()) {
    for (int i = 0; i < count; ++i) result.push_back(i);
    return result;
  }
  const DeviceChoice choice = parse_device(context.device);
  if (!choice.ordinal)
    throw Error(ErrorKind::usage, "`warptune devices` looks at GPUs, not at '" + context.device + "'",
                "`warptune list devices --db FILE` shows the devices of a database");
  if (*choice.ordinal >= count)
    throw Error(ErrorKind::no_device, "no device cuda:" + std::to_string(*choice.ordinal),
                "this machine has " + std::to_string(count));
  return {*choice.ordinal};
}

Table device_table() {
  return {"devices",
          {{"device", "device"},
           {"model", "model"},
           {"compute_capability", "capability", Show::number},
           {"sm_count", "SMs", Show::number},
           {"l2_bytes", "L2", Show::bytes},
           {"memory_bytes", "memory", Show::bytes},
           {"max_shared_bytes", "shared/block", Show::bytes},
           {"max_threads_per_block", "threads/block", Show::number, Place::machines},
           {"max_threads_per_sm", "threads/SM", Show::number, Place::machines},
           {"max_blocks_per_sm", "blocks/SM", Show::number, Place::machines},
           {"registers_per_sm", "registers/SM", Show::number, Place::machines},
           {"driver_version", "CUDA", Show::number, Place::machines},
           {"driver_name", "driver"},
           {"nvrtc_version", "NVRTC"}},
          {}};
}

std::optional<db::Calibration> stored_calibration(const Context& context, const db::DeviceKey& key) {
  try {
    return db::Store::open(context.database, db::OpenMode::read_only).calibration(key);
  } catch (const Error&) {
    return std::nullopt;  // without a database nothing is known yet
  }
}

int run(const Arguments& arguments, const Context& context) {
  Document document;
  document.tables = {
      device_table(),
      {"calibration", {{"device", "device"}, {"figure", "figure"}, {"value", "value", Show::number}}, {}}};
  for (const int ordinal : ordinals(context)) {
    const std::string label = "cuda:" + std::to_string(ordinal);
    Context one = context;
    one.device = label;
    const KnownDevice device = known_device(one, nullptr);
    const spec::DeviceTraits& traits = device.traits;
    document.tables[0].rows.push_back(
        {label, traits.model, std::int64_t{traits.compute_capability}, std::int64_t{traits.sm_count},
         traits.l2_bytes, traits.memory_bytes, traits.max_shared_bytes,
         std::int64_t{traits.max_threads_per_block}, std::int64_t{traits.max_threads_per_sm},
         std::int64_t{traits.max_blocks_per_sm}, std::int64_t{traits.registers_per_sm},
         std::int64_t{device.present.driver_version}, device.present.driver_name,
         device.present.nvrtc_version.empty() ? Cell() : Cell(device.present.nvrtc_version)});
    const std::optional<db::Calibration> calibration =
        arguments.has("calibrate") ? std::optional(calibrate(ordinal))
                                   : stored_calibration(context, runtime::device_key(traits));
    if (!calibration) continue;
    for (const auto& [figure, value] : calibration->figures)
      document.tables[1].rows.push_back({label, figure, value});
    if (arguments.has("calibrate"))
      db::Store::open(context.database, db::OpenMode::create).set_calibration(*calibration);
  }
  if (document.tables[1].rows.empty())
    document.notes.emplace_back(
        "Ceilings and timer figures are not known yet: --calibrate measures and stores them.");
  context.print(document);
  return 0;
}

}  // namespace

Command devices_command() {
  return {"devices",
          "the GPUs of this machine, their limits and calibration",
          examples,
          {},
          {{"calibrate", OptionSpec::Kind::flag, "", "measure ceilings and timer, and store them"}},
          run};
}

}  // namespace warptune::tuner
