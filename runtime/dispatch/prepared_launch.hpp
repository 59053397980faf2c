// A launch plan with everything decided but the caller's pointers: what the hit path runs. Immutable, so safe
// for any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/selection.hpp>
#include <warptune/spec/instance.hpp>

#include "runtime/dispatch/insert_only_table.hpp"
#include "runtime/dispatch/scratch.hpp"
#include "runtime/dispatch/variant.hpp"

namespace warptune::runtime {

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

struct PreparedLaunch {
  enum class Source : std::uint8_t { caller, workspace, counter, scalar };
  // Where a parameter's bytes come from: the caller's pointer at `index`, scratch at `offset`, or `bytes`.
  struct Operand {
    Source source = Source::scalar;
    std::uint32_t index = 0;
    std::size_t offset = 0;
    std::array<std::byte, 8> bytes{};
  };
  struct Step {
    bool is_memset = false;
    std::uint8_t byte = 0;          // memset
    std::size_t bytes = 0;          // memset
    FunctionHandle function{};      // kernel
    LaunchShape shape;              // kernel
    std::vector<Operand> operands;  // kernel: its parameters; memset: the one buffer
  };

  using Key = LaunchKey;
  std::uint64_t hash = 0;
  std::vector<std::int64_t> dims;
  std::uint32_t alignment = 1;
  Match match = Match::default_config;
  std::uint64_t needed_pointers = 0;  // bit per caller pointer that must not be null
  ScratchSize scratch;
  std::vector<Step> steps;
  spec::Config config;
  Selection selection;
  bool from_ptx = false;

  LaunchKey key() const noexcept { return {dims, alignment}; }
  bool has_key(const LaunchKey& other) const noexcept {
    if (alignment != other.alignment || dims.size() != other.dims.size()) return false;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] != other.dims[i]) return false;
    }
    return true;
  }
  bool needs_scratch() const noexcept { return scratch.workspace_bytes + scratch.counter_bytes > 0; }
};

// Most parameters a kernel may have here; the hit path keeps them on the stack.
inline constexpr std::size_t max_parameters = 64;

// Plans `config` at the instance's dims for pointers of this alignment. `variant`: the config's; raised
// shared-memory limits are noted in it. Nothing is launched. Errors bad_input, unsupported: the plan or the
// device does not allow it here.
std::unique_ptr<PreparedLaunch> prepare_launch(const spec::Instance& here, const spec::Config& config,
                                               const LaunchKey& key, Variant& variant, SharedDevice& device);

// Puts the steps on `stream`. `kernels_launched` counts as it goes, so that a caller can tell how far a
// failure came.
void run(const PreparedLaunch& launch, Device& device, StreamHandle stream, std::span<void* const> pointers,
         const Scratch& scratch, std::size_t& kernels_launched);

}  // namespace warptune::runtime
