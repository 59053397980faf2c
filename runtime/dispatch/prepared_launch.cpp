#include "runtime/dispatch/prepared_launch.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warptune::runtime {
namespace {

using spec::BufferRole;

constexpr std::size_t scratch_alignment_bytes = 256;  // as cuMemAlloc gives

std::size_t round_up(std::size_t bytes) {
  return (bytes + scratch_alignment_bytes - 1) / scratch_alignment_bytes * scratch_alignment_bytes;
}

// Where each buffer of the template is found at launch.
struct Places {
  std::vector<PreparedLaunch::Operand> of_buffer;
  ScratchSize scratch;
  std::uint64_t needed_pointers = 0;
  bool has_output = false;  // some out or inout buffer has elements
};

Places place_buffers(const spec::TemplateSpec& spec, const std::vector<spec::BufferLayout>& layouts,
                     std::int64_t alignment_bytes) {
  Places places;
  std::uint32_t caller = 0;
  for (std::size_t i = 0; i < spec.buffers.size(); ++i) {
    const spec::BufferLayout& layout = layouts[i];
    PreparedLaunch::Operand operand;
    const auto bytes = static_cast<std::size_t>(layout.bytes());
    switch (spec.buffers[i].role) {
      case BufferRole::workspace:
      case BufferRole::counter: {
        if (bytes == 0) break;  // a null pointer
        const bool counter = spec.buffers[i].role == BufferRole::counter;
        std::size_t& total = counter ? places.scratch.counter_bytes : places.scratch.workspace_bytes;
        operand.source = counter ? PreparedLaunch::Source::counter : PreparedLaunch::Source::workspace;
        operand.offset = total;
        total += round_up(bytes);
        break;
      }
      default:
        // A buffer is aligned to its element in any case; that is checked before the look-up.
        if (layout.alignment_bytes > std::max(alignment_bytes, layout.element_bytes)) {
          throw Error(ErrorKind::bad_input,
                      fmt::format("buffer {} needs {}-byte alignment, the pointers have {}",
                                  spec.buffers[i].name, layout.alignment_bytes, alignment_bytes));
        }
        operand.source = PreparedLaunch::Source::caller;
        operand.index = caller;
        if (bytes > 0) places.needed_pointers |= std::uint64_t{1} << caller;
        places.has_output = places.has_output || (bytes > 0 && spec.buffers[i].role != BufferRole::in);
        ++caller;
    }
    places.of_buffer.push_back(operand);
  }
  return places;
}

std::string sizes_text(const std::vector<std::size_t>& sizes) {
  return fmt::format("{} of {} bytes", sizes.size(), fmt::join(sizes, ", "));
}

// The manifest's arguments must be what the compiled kernel takes: the driver reads as many bytes as that says.
void check_parameters(const spec::KernelStep& step, const LoadedKernel& kernel) {
  if (!kernel.parameter_bytes) return;
  std::vector<std::size_t> given;
  for (const spec::PlanArgument& argument : step.arguments)
    given.push_back(argument.buffer == spec::PlanArgument::scalar ? argument.size_bytes
                                                                  : sizeof(DevicePointer));
  if (given == *kernel.parameter_bytes) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{} takes other arguments than its manifest gives: {}, not {}", step.entry,
                          sizes_text(*kernel.parameter_bytes), sizes_text(given)),
              "correct args of that [[step]], or the kernel's parameters");
}

PreparedLaunch::Step prepare_step(const spec::KernelStep& step, const Places& places, Variant& variant,
                                  SharedDevice& device) {
  LoadedKernel& kernel = *variant.kernels.at(step.entry);
  if (step.arguments.size() > max_parameters) {
    throw Error(ErrorKind::unsupported, fmt::format("{} takes {} arguments, the limit is {}", step.entry,
                                                    step.arguments.size(), max_parameters));
  }
  check_parameters(step, kernel);
  {
    const std::scoped_lock lock(device.mutex);
    if (step.shared_bytes > kernel.allowed_shared_bytes) {
      device.device->allow_shared_bytes(kernel.handle, step.shared_bytes);
      kernel.allowed_shared_bytes = step.shared_bytes;
    }
  }
  PreparedLaunch::Step prepared;
  prepared.function = kernel.handle;
  prepared.shape = shape_of(step);
  for (const spec::PlanArgument& argument : step.arguments) {
    PreparedLaunch::Operand scalar;
    scalar.bytes = argument.bytes;
    prepared.operands.push_back(
        argument.buffer == spec::PlanArgument::scalar ? scalar : places.of_buffer[argument.buffer]);
  }
  return prepared;
}

}  // namespace

std::unique_ptr<PreparedLaunch> prepare_launch(const spec::Instance& here, const spec::Config& config,
                                               const LaunchKey& key, Variant& variant, SharedDevice& device) {
  const spec::TraitsLookup traits = variant.traits();
  if (auto excluded = here.excluded(config)) {
    throw Error(ErrorKind::bad_input, fmt::format("{} ({})", excluded->why, excluded->constraint));
  }
  if (auto excluded = here.excluded_late(config, traits)) {
    throw Error(ErrorKind::bad_input, fmt::format("{} ({})", excluded->why, excluded->constraint));
  }
  const std::vector<spec::BufferLayout> layouts = here.buffers(config, traits);
  const Places places = place_buffers(here.spec(), layouts, key.alignment);

  auto launch = std::make_unique<PreparedLaunch>();
  launch->dims.assign(key.dims.begin(), key.dims.end());
  launch->alignment = key.alignment;
  launch->config = config;
  launch->needed_pointers = places.needed_pointers;
  if (!places.has_output) return launch;  // nothing to compute: no launch of zero blocks

  launch->scratch = places.scratch;
  for (const spec::PlanStep& planned : here.plan(config, traits).steps) {
    if (const auto* kernel = std::get_if<spec::KernelStep>(&planned)) {
      launch->steps.push_back(prepare_step(*kernel, places, variant, device));
      continue;
    }
    const auto& memset = std::get<spec::MemsetStep>(planned);
    const auto bytes = static_cast<std::size_t>(layouts[memset.buffer].bytes());
    if (bytes == 0) continue;
    PreparedLaunch::Step prepared;
    prepared.is_memset = true;
    prepared.byte = static_cast<std::uint8_t>(memset.byte);
    prepared.bytes = bytes;
    prepared.operands.push_back(places.of_buffer[memset.buffer]);
    launch->steps.push_back(std::move(prepared));
  }
  return launch;
}

}  // namespace warptune::runtime
