// A launch plan with everything decided but the caller's pointers: what a LaunchRecord is made of. Plain data.
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

#include "runtime/dispatch/launch_record.hpp"
#include "runtime/dispatch/scratch.hpp"
#include "runtime/dispatch/variant.hpp"

namespace warptune::runtime {

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

  std::vector<std::int64_t> dims;
  std::uint32_t alignment = 1;
  std::uint64_t needed_pointers = 0;  // bit per caller pointer that must not be null
  ScratchSize scratch;
  std::vector<Step> steps;
  spec::Config config;
  Selection selection;
  bool from_ptx = false;
};

// Plans `config` at the instance's dims for pointers of this alignment. `variant`: the config's; raised
// shared-memory limits are noted in it. Nothing is launched. Errors bad_input, unsupported: the plan or the
// device does not allow it here.
std::unique_ptr<PreparedLaunch> prepare_launch(const spec::Instance& here, const spec::Config& config,
                                               const LaunchKey& key, Variant& variant, SharedDevice& device);

}  // namespace warptune::runtime
