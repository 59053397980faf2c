#include "runtime/dispatch/launch_record.hpp"

#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "runtime/dispatch/prepared_launch.hpp"

namespace warptune::runtime {
namespace {

// The record's block as it is put together: bytes, of which all parts are multiples of eight.
class Block {
 public:
  template <typename Part>
  std::size_t add(const Part* parts, std::size_t count) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + (count * sizeof(Part) + 7) / 8 * 8);
    if (count > 0) std::memcpy(bytes_.data() + at, parts, count * sizeof(Part));
    return at;
  }
  template <typename Part>
  std::size_t add(const Part& part) {
    return add(&part, 1);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Scratch that steps use, each piece once.
class Places {
 public:
  std::uint16_t index(std::uint64_t place) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == place) return static_cast<std::uint16_t>(i);
    all.push_back(place);
    return static_cast<std::uint16_t>(all.size() - 1);
  }
  std::vector<std::uint64_t> all;
};

void add_step(Block& block, const PreparedLaunch::Step& step, Places& places, std::uint64_t in_counters) {
  using Source = PreparedLaunch::Source;
  StepRecord record{};
  record.grid = step.shape.grid;
  record.block = step.shape.block;
  record.shared_bytes = step.shape.shared_bytes;
  record.memset_byte = step.byte;
  record.kind = step.is_memset            ? StepRecord::Kind::memset
                : step.shape.programmatic ? StepRecord::Kind::programmatic
                                          : StepRecord::Kind::kernel;
  record.function_or_bytes = step.is_memset ? step.bytes : static_cast<std::uint64_t>(step.function);
  record.operand_count = static_cast<std::uint8_t>(step.operands.size());

  const std::size_t head_bytes =
      sizeof(StepRecord) + (step.operands.size() * sizeof(StepRecord::Operand) + 7) / 8 * 8;
  std::vector<StepRecord::Operand> operands;
  std::vector<std::array<std::byte, 8>> scalars;
  for (const PreparedLaunch::Operand& operand : step.operands) {
    std::size_t offset = 0;
    StepRecord::Base base = StepRecord::Base::step;
    switch (operand.source) {
      case Source::caller:
        base = StepRecord::Base::pointers;
        offset = operand.index * sizeof(void*);
        break;
      case Source::workspace:
      case Source::counter:
        base = StepRecord::Base::scratch;
        offset = places.index(operand.offset | (operand.source == Source::counter ? in_counters : 0)) *
                 sizeof(DevicePointer);
        break;
      case Source::scalar:
        offset = head_bytes + scalars.size() * sizeof operand.bytes;
        scalars.push_back(operand.bytes);
        break;
    }
    operands.push_back({base, static_cast<std::uint16_t>(offset)});
  }
  record.words = static_cast<std::uint8_t>((head_bytes + scalars.size() * 8) / StepRecord::word_bytes);
  block.add(record);
  block.add(operands.data(), operands.size());
  block.add(scalars.data(), scalars.size());
}

}  // namespace

std::unique_ptr<LaunchRecord> LaunchRecord::make(std::unique_ptr<PreparedLaunch> plan) {
  constexpr std::size_t most = 255;
  Places places;
  Block steps;
  for (const PreparedLaunch::Step& step : plan->steps) add_step(steps, step, places, in_counters);
  if (plan->dims.size() > most || plan->steps.size() > most || places.all.size() > max_parameters)
    throw Error(ErrorKind::unsupported, "a launch has more dims, steps or workspaces than can be dispatched");

  Block block;
  block.add(plan->dims.data(), plan->dims.size());
  if (!places.all.empty()) {
    block.add(plan->scratch);
    block.add(places.all.data(), places.all.size());
  }
  block.add(steps.bytes().data(), steps.bytes().size());

  void* const memory =
      ::operator new(sizeof(LaunchRecord) + block.bytes().size(), std::align_val_t{line_bytes});
  const std::size_t step_count = plan->steps.size();
  plan->steps = {};
  std::unique_ptr<LaunchRecord> record(new (memory) LaunchRecord(std::move(plan)));
  record->step_count_ = static_cast<std::uint8_t>(step_count);
  record->place_count_ = static_cast<std::uint8_t>(places.all.size());
  std::memcpy(static_cast<void*>(record.get() + 1), block.bytes().data(), block.bytes().size());
  return record;
}

LaunchRecord::LaunchRecord(std::unique_ptr<const PreparedLaunch> plan) noexcept
    : plan_(std::move(plan)),
      alignment_(plan_->alignment),
      match_(static_cast<std::uint8_t>(plan_->selection.match)),
      dim_count_(static_cast<std::uint8_t>(plan_->dims.size())) {}

LaunchRecord::~LaunchRecord() = default;

void LaunchRecord::operator delete(void* memory) noexcept {
  ::operator delete(memory, std::align_val_t{line_bytes});
}

void LaunchRecord::run_other(const StepRecord& step, Device& device, StreamHandle stream, void** parameters) {
  if (step.kind == StepRecord::Kind::memset) {
    DevicePointer to = 0;
    std::memcpy(&to, parameters[0], sizeof to);
    device.fill(to, step.memset_byte, step.function_or_bytes, stream);
    return;
  }
  const LaunchShape shape{step.grid, step.block, step.shared_bytes,
                          step.kind == StepRecord::Kind::programmatic};
  device.launch(FunctionHandle{step.function_or_bytes}, shape, stream, parameters);
}

}  // namespace warptune::runtime
