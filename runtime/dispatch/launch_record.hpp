// What a hit reads of a launch plan: one block of memory that begins on a cache line of its own, so that few lines are touched after
// the driver's launch has pushed them out. Immutable, so safe for any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/selection.hpp>

#include "runtime/dispatch/insert_only_table.hpp"
#include "runtime/dispatch/scratch.hpp"

namespace warptune::runtime {

struct PreparedLaunch;

// What a launch is looked up by. `alignment`: of the pointers, a power of two, at most what the kernel
// distinguishes.
struct LaunchKey {
  std::span<const std::int64_t> dims;
  std::uint32_t alignment = 1;

  std::uint64_t hash() const noexcept {
    std::uint64_t hash = alignment;
    for (const std::int64_t dim : dims) hash = mix_hash(hash, static_cast<std::uint64_t>(dim));
    return hash;
  }
};

// Most parameters a kernel may have here; the hit path keeps them on the stack.
inline constexpr std::size_t max_parameters = 64;

// One kernel or memset. Its operands, and then the values of those that are scalars, follow it in memory.
struct StepRecord {
  // Where a parameter's value lies: so many bytes from the step (scalars), from the caller's list of pointers, or from the list of
  // scratch addresses.
  enum class Base : std::uint16_t { step, pointers, scratch };
  struct Operand {
    Base base;
    std::uint16_t offset;
  };
  enum class Kind : std::uint8_t { kernel, programmatic, memset };
  static constexpr std::size_t word_bytes = 8;

  std::uint64_t function_or_bytes;  // memset: bytes
  Dim3 grid, block;
  std::uint32_t shared_bytes;
  Kind kind;
  std::uint8_t memset_byte;
  std::uint8_t operand_count;  // memset: 1, the buffer
  std::uint8_t words;          // from this step to the next

  const Operand* operands() const noexcept { return reinterpret_cast<const Operand*>(this + 1); }
  const StepRecord* next() const noexcept {
    return reinterpret_cast<const StepRecord*>(reinterpret_cast<const std::byte*>(this) + words * word_bytes);
  }
};

// Where launches go.
struct LaunchPort {
  explicit LaunchPort(Device& on) : function(on.launch_function()), device(on) {}
  LaunchFunction function;  // the device's; null: its launch()
  Device& device;
};

// Follow it in memory: the dims; where it needs scratch, how much, and where in it each buffer lies; the steps.
class LaunchRecord {
 public:
  using Key = LaunchKey;

  // Error unsupported: more dims, steps or parameters than a record holds.
  static std::unique_ptr<LaunchRecord> make(std::unique_ptr<PreparedLaunch> plan);
  ~LaunchRecord();
  static void operator delete(void* memory) noexcept;

  LaunchKey key() const noexcept { return {{dims(), dim_count_}, alignment_}; }
  bool has_key(const LaunchKey& other) const noexcept {
    if (alignment_ != other.alignment || dim_count_ != other.dims.size()) return false;
    for (std::size_t i = 0; i < dim_count_; ++i)
      if (dims()[i] != other.dims[i]) return false;
    return true;
  }
  Match match() const noexcept { return static_cast<Match>(match_); }
  bool needs_scratch() const noexcept { return place_count_ != 0; }
  // Precondition: needs_scratch().
  const ScratchSize& scratch_size() const noexcept {
    return *reinterpret_cast<const ScratchSize*>(dims() + dim_count_);
  }
  // All that is known of it; lies elsewhere.
  const PreparedLaunch& plan() const noexcept { return *plan_; }

  // Puts the steps on `stream`. `scratch`: looked at where it is needed. `kernels_launched` counts as it goes, so that a caller can
  // tell how far a failure came.
  [[gnu::always_inline]] void run(const LaunchPort& port, StreamHandle stream, void* const* pointers,
                                  const Scratch* scratch, std::size_t& kernels_launched) const;

 private:
  // Offset in the workspace, or with this bit, which alignment leaves free, in the counters.
  static constexpr std::uint64_t in_counters = 1;
  static constexpr std::size_t line_bytes = 64;

  explicit LaunchRecord(std::unique_ptr<const PreparedLaunch> plan) noexcept;
  const std::int64_t* dims() const noexcept { return reinterpret_cast<const std::int64_t*>(this + 1); }
  const std::uint64_t* places() const noexcept {
    return reinterpret_cast<const std::uint64_t*>(&scratch_size() + 1);
  }
  const StepRecord* first_step() const noexcept {
    return needs_scratch() ? reinterpret_cast<const StepRecord*>(places() + place_count_)
                           : reinterpret_cast<const StepRecord*>(dims() + dim_count_);
  }
  static void run_other(const StepRecord& step, Device& device, StreamHandle stream, void** parameters);

  std::unique_ptr<const PreparedLaunch> plan_;
  std::uint32_t alignment_;
  std::uint8_t match_, dim_count_, step_count_ = 0, place_count_ = 0;
};

inline void LaunchRecord::run(const LaunchPort& port, StreamHandle stream, void* const* pointers,
                              const Scratch* scratch, std::size_t& kernels_launched) const {
  std::array<DevicePointer, max_parameters> addresses;
  for (std::size_t i = 0; i < place_count_; ++i) {
    const std::uint64_t place = places()[i];
    addresses[i] =
        (place & in_counters) != 0 ? scratch->counters + (place - in_counters) : scratch->workspace + place;
  }
  // Parameters are read only, whatever the driver's interface says.
  std::array<std::byte*, 3> bases;
  bases[static_cast<std::size_t>(StepRecord::Base::pointers)] =
      reinterpret_cast<std::byte*>(const_cast<void**>(pointers));
  bases[static_cast<std::size_t>(StepRecord::Base::scratch)] = reinterpret_cast<std::byte*>(addresses.data());
  std::array<void*, max_parameters> parameters;
  const StepRecord* step = first_step();
  for (std::size_t left = step_count_; left > 0; --left, step = step->next()) {
    bases[static_cast<std::size_t>(StepRecord::Base::step)] =
        reinterpret_cast<std::byte*>(const_cast<StepRecord*>(step));
    for (std::size_t i = 0; i < step->operand_count; ++i) {
      const StepRecord::Operand operand = step->operands()[i];
      parameters[i] = bases[static_cast<std::size_t>(operand.base)] + operand.offset;
    }
    if (step->kind == StepRecord::Kind::kernel && port.function != nullptr) [[likely]] {
      const int result =
          port.function(reinterpret_cast<void*>(step->function_or_bytes), step->grid.x, step->grid.y,
                        step->grid.z, step->block.x, step->block.y, step->block.z, step->shared_bytes,
                        reinterpret_cast<void*>(stream), parameters.data(), nullptr);
      if (result != 0) [[unlikely]]
        port.device.throw_launch_error(result);
    } else {
      run_other(*step, port.device, stream, parameters.data());
    }
    kernels_launched += step->kind != StepRecord::Kind::memset ? 1U : 0U;
  }
}

}  // namespace warptune::runtime
