// One problem of one template on one device: everything a manifest's expressions say about it.
// Immutable after construction; all const members are safe for concurrent use.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <warptune/spec/catalog.hpp>
#include <warptune/spec/problem.hpp>
#include <warptune/spec/template_spec.hpp>

namespace warptune::spec {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

// An argument as the launch needs it: a buffer of the template, or the bytes of a scalar.
struct PlanArgument {
  static constexpr std::size_t scalar = static_cast<std::size_t>(-1);
  std::size_t buffer = scalar;       // index into TemplateSpec::buffers; check plans: see CheckPlan
  std::array<std::byte, 8> bytes{};  // scalar, little endian
  std::uint32_t size_bytes = 8;
};

struct KernelStep {
  std::string entry;  // name expression, holes filled
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;  // dynamic
  bool programmatic = false;       // may begin before the kernel ahead of it on the stream has ended
  std::vector<PlanArgument> arguments;
};

struct MemsetStep {
  std::size_t buffer = 0;
  int byte = 0;
};

using PlanStep = std::variant<KernelStep, MemsetStep>;

struct LaunchPlan {
  std::vector<PlanStep> steps;  // in order; steps whose `when` is false are absent
};

struct BufferLayout {
  std::int64_t elements = 0;
  std::int64_t element_bytes = 0;
  std::int64_t alignment_bytes = 1;  // the config's requirement on the pointer
  std::int64_t bytes() const { return elements * element_bytes; }
};

struct Exclusion {
  std::string constraint;  // the expression's text, or what exceeds a device limit
  std::string why;
  bool device_limit = false;  // the compiled kernel exceeds a limit; no constraint of the template says no
};

// kernel.registers and kernel.blocks_per_sm for an entry; nothing when it is not compiled yet.
using TraitsLookup = std::function<std::optional<KernelTraits>(const std::string& entry)>;

class Instance {
 public:
  // Checks types, dims (>= 0), attributes against the template; unstated attributes become "any", unstated
  // dims their defaults.
  // Error bad_input naming what is wrong and what is allowed.
  Instance(TemplatePtr spec, Problem problem, DeviceTraits device);

  const TemplateSpec& spec() const { return *spec_; }
  const TemplatePtr& spec_ptr() const { return spec_; }
  const Problem& problem() const { return problem_; }
  const DeviceTraits& device() const { return device_; }

  // The same template, types, attributes and device with other dims. Overflow and negative dims: Error
  // bad_input.
  Instance with_dims(const std::map<std::string, std::int64_t, std::less<>>& dims) const;
  // Dims to verify beyond the tuned ones, as [[check.dims]] gives them; duplicates, the tuned dims, and what
  // comes out negative or overflows are left out.
  std::vector<std::map<std::string, std::int64_t, std::less<>>> also_dims() const;

  // Why a config may not run: a constraint, a numerics class not allowed, a device limit. Nothing: it may.
  std::optional<Exclusion> excluded(const Config& config) const;
  // The same, and why tuning does not try it although it may run: a constraint for the search only.
  std::optional<Exclusion> excluded_from_search(const Config& config) const;
  // The same once its kernels are compiled: launch limits of each (threads, registers, shared memory), and the
  // constraints that need kernel.*, which speaks of the first kernel that runs. Kernels that `traits` does not
  // know are not judged.
  std::optional<Exclusion> excluded_late(const Config& config, const TraitsLookup& traits) const;

  Numerics numerics(const Config& config) const;
  // Distinct name expressions of the kernel steps that may run for this config at any dims, in plan order.
  std::vector<std::string> entries(const Config& config) const;
  // Text put before the source for templates with `defines`; empty otherwise.
  std::string prelude(const Config& config) const;

  // Geometry and arguments. Error EvaluationError or bad_input (grid of zero or beyond the device's limits).
  LaunchPlan plan(const Config& config, const TraitsLookup& traits = {}) const;
  // One layout per TemplateSpec::buffers.
  std::vector<BufferLayout> buffers(const Config& config, const TraitsLookup& traits = {}) const;
  // Largest pointer alignment that any operand needs beyond its element size, in bytes: the config's
  // alignment class.
  std::int64_t alignment_class(const Config& config) const;
  // All alignment classes that configs of this space may have, ascending.
  std::vector<std::int64_t> alignment_classes() const;

  // Reference kernel; arguments name buffers by index, and TemplateSpec::buffers.size() is "reference", +1 is
  // "scale", +2 and on the references of CheckSpec::also_outputs.
  KernelStep check_plan() const;
  // Inputs that apply to a config, in manifest order.
  std::vector<CheckInput> check_inputs(const Config& config) const;

  // The named configs that exist for these types, whether or not they may run, in manifest order.
  std::vector<VariantSpec> variants() const;

  // Bytes moved and operations done by one call; nothing when the manifest has no [cost].
  std::optional<std::int64_t> cost_bytes() const;
  std::optional<std::int64_t> cost_flops() const;

  struct
      Fixed;  // scope with problem and device bound, constraints ordered by the tunable that completes them

  const Fixed& fixed() const { return *fixed_; }

 private:
  TemplatePtr spec_;
  Problem problem_;
  DeviceTraits device_;
  std::shared_ptr<const Fixed> fixed_;
};

}  // namespace warptune::spec
