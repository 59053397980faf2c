#include "runtime/dispatch/kernel_state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <warptune/spec/element_type.hpp>

#include "runtime/dispatch/messages.hpp"

namespace warptune::runtime {
namespace {

// Failures that lie in a config's code or geometry, so that another config may do: anything else (memory,
// context, stream, compiler missing) would meet every config alike.
bool is_fault_of_config(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::compile:
    case ErrorKind::nvrtc:
    case ErrorKind::bad_input:
    case ErrorKind::unsupported:
    case ErrorKind::not_found:
      return true;
    case ErrorKind::cuda: {
      // CUDA_ERROR_INVALID_VALUE, INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, NOT_FOUND,
      // LAUNCH_OUT_OF_RESOURCES
      constexpr long codes[] = {1, 200, 209, 218, 500, 701};
      return !context_is_lost(error) && std::find(std::begin(codes), std::end(codes),
                                                  error.native_code().value_or(0)) != std::end(codes);
    }
    default:
      return false;
  }
}

}  // namespace

KernelState::KernelState(ContextState& context, std::string asked_name,
                         const std::vector<std::string>& policies, Selector selector, CoverSelector cover)
    : port_(*context.device().device),
      context_(context),
      asked_name_(std::move(asked_name)),
      policy_(policies.empty() ? "cold" : policies.front()),
      instance_(selector.instance()),
      cover_(std::move(cover)),
      selector_(std::move(selector)) {
  // The usual alignment is always told apart, so that what prepare() readies by default is what pointers from
  // an allocator meet.
  largest_alignment_ = std::bit_ceil(
      static_cast<std::uint32_t>(std::max(usual_alignment_bytes, selector_.largest_alignment_bytes())));
  for (const spec::BufferSpec& buffer : instance_.spec().buffers) {
    if (!spec::is_operand(buffer.role)) continue;
    if (pointer_count_ == most_pointers)
      throw Error(ErrorKind::unsupported,
                  fmt::format("{} has over {} operands, more cannot be dispatched", name(), most_pointers));
    const auto type = spec::find_element_type(spec::element_type_name(buffer, instance_.problem()));
    PointerRule& rule = pointer_rules_[pointer_count_++];
    rule.element_mask = std::bit_floor(static_cast<std::uint32_t>(type ? type->size_bytes : 1)) - 1;
    rule.packed_mask = buffer.alignment_bytes ? ~std::uint32_t{0} : 0;
  }
}

inline Match KernelState::run(const LaunchRecord& launch, StreamHandle stream,
                              std::span<const std::int64_t> dims, std::span<void* const> pointers,
                              const Scratch* own) {
  const Scratch* const scratch = launch.needs_scratch() ? &scratch_for(launch, stream, dims, own) : nullptr;
  std::size_t kernels_launched = 0;
  try {
    launch.run(port_, stream, pointers.data(), scratch, kernels_launched);
    return launch.match();
  } catch (const Error& error) {
    // Once a kernel is under way, starting over could count its work twice.
    if (kernels_launched > 0 || launch.match() == Match::default_config || !is_fault_of_config(error)) throw;
    give_up(launch.plan(), error);
  }
  return launch_new(launch.key(), stream, pointers, own);  // ends: each round gives up one more config
}

inline Match KernelState::launch_with(StreamHandle stream, std::span<const std::int64_t> dims,
                                      std::span<void* const> pointers, const Scratch* own) {
  if (pointers.size() != pointer_count_) [[unlikely]]
    throw wrong_pointer_count(instance_.spec(), pointers.size());
  std::uint32_t packed = largest_alignment_;
  std::uint32_t misaligned = 0;
  bool has_null = false;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointers[i]);
    misaligned |= static_cast<std::uint32_t>(address) & pointer_rules_[i].element_mask;
    packed |= static_cast<std::uint32_t>(address) & pointer_rules_[i].packed_mask;
    has_null |= address == 0;
  }
  if (misaligned != 0) [[unlikely]]
    throw misaligned_pointer(instance_.spec(), pointers);

  const std::uint32_t alignment = packed & (~packed + 1);
  const LaunchRecord* const launch = table_.find({dims, alignment});
  if (launch == nullptr) [[unlikely]]
    return launch_new({dims, alignment}, stream, pointers, own);
  if (has_null) [[unlikely]]
    require_operands(*launch, pointers);
  return run(*launch, stream, dims, pointers, own);
}

Match KernelState::launch(StreamHandle stream, std::span<const std::int64_t> dims,
                          std::span<void* const> pointers) {
  return launch_with(stream, dims, pointers, nullptr);
}

Match KernelState::launch(StreamHandle stream, std::span<const std::int64_t> dims,
                          std::span<void* const> pointers, const Scratch& own) {
  return launch_with(stream, dims, pointers, &own);
}

void KernelState::check_types(const std::string_view* names, std::size_t count) {
  if (count != pointer_count_) throw wrong_pointer_count(instance_.spec(), count);
  const std::string_view* name = names;
  for (const spec::BufferSpec& buffer : instance_.spec().buffers) {
    if (!spec::is_operand(buffer.role)) continue;
    const std::string type = spec::element_type_name(buffer, instance_.problem());
    const auto known = spec::find_element_type(type);
    if (!name->empty() && *name != (known ? known->name : type))
      throw wrong_element_type(instance_.spec(), buffer, type, *name);
    ++name;
  }
  checked_names_.store(names, std::memory_order_relaxed);
}

Match KernelState::launch_new(const LaunchKey& key, StreamHandle stream, std::span<void* const> pointers,
                              const Scratch* own) {
  const Resolved resolved = resolve(key, stream);
  require_operands(*resolved.launch, pointers);
  return run(*resolved.launch, stream, key.dims, pointers, own);
}

const Scratch& KernelState::scratch_for(const LaunchRecord& launch, StreamHandle stream,
                                        std::span<const std::int64_t> dims, const Scratch* own) {
  const Scratch* const scratch = own != nullptr ? own : context_.scratch().find(stream);
  if (scratch != nullptr && scratch->holds(launch.scratch_size())) [[likely]]
    return *scratch;
  if (own != nullptr) {
    throw Error(ErrorKind::usage, fmt::format("the workspace is too small for {} at these dims", name()),
                "reserve() it for the largest dims that it is launched with");
  }
  context_.require_current(name());
  refuse_capture(stream, dims);
  return context_.scratch().ensure(stream, launch.scratch_size());
}

void KernelState::require_operands(const LaunchRecord& launch, std::span<void* const> pointers) const {
  std::uint64_t missing = launch.plan().needed_pointers;
  for (std::size_t i = 0; i < pointers.size(); ++i)
    if (pointers[i] != nullptr) missing &= ~(std::uint64_t{1} << i);
  if (missing != 0) throw null_pointer(instance_.spec(), missing);
}

void KernelState::prepare(StreamHandle stream, std::span<const std::int64_t> dims,
                          std::int64_t alignment_bytes) {
  const Resolved resolved = resolve({dims, alignment_key(alignment_bytes)}, stream);
  if (resolved.launch->needs_scratch()) scratch_for(*resolved.launch, stream, dims, nullptr);
}

void KernelState::prepare_in_scope(StreamHandle stream, std::span<const std::int64_t> dims,
                                   std::int64_t alignment_bytes) {
  const Resolved resolved = resolve({dims, alignment_key(alignment_bytes)}, stream, InCapture::go_on);
  if (!resolved.launch->needs_scratch()) return;
  const ScratchSize& needed = resolved.launch->scratch_size();
  const Scratch* const scratch = context_.scratch().find(stream);
  if (scratch == nullptr || !scratch->holds(needed)) context_.scratch().ensure(stream, needed);
}

ScratchSize KernelState::reserve(std::span<const std::int64_t> dims, std::int64_t alignment_bytes) {
  return resolve({dims, alignment_key(alignment_bytes)}, std::nullopt).launch->plan().scratch;
}

Selection KernelState::select(std::span<const std::int64_t> dims, std::int64_t alignment_bytes) {
  const LaunchKey key{dims, alignment_key(alignment_bytes)};
  const Dims here = named(dims);
  const std::scoped_lock lock(mutex_);
  const LaunchRecord* const launch = table_.find(key);
  if (launch != nullptr && !broken_.contains(launch->plan().config)) return launch->plan().selection;
  const Ranking ranking = rank(here, key.alignment);
  for (const Candidate& candidate : ranking.candidates) {
    if (!broken_.contains(candidate.config)) return candidate.selection;
  }
  return ranking.candidates.back().selection;
}

std::uint32_t KernelState::alignment_key(std::int64_t alignment_bytes) const {
  if (alignment_bytes <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(alignment_bytes))) {
    throw Error(ErrorKind::usage,
                fmt::format("alignment of {} bytes is not a power of two", alignment_bytes));
  }
  return static_cast<std::uint32_t>(std::min<std::int64_t>(alignment_bytes, largest_alignment_));
}

KernelState::Dims KernelState::named(std::span<const std::int64_t> dims) const {
  const std::vector<spec::DimSpec>& specs = instance_.spec().dims;
  if (dims.size() != specs.size()) throw wrong_dim_count(instance_.spec(), dims.size());
  Dims by_name;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: dim {} is {}, must be 0 or more", name(), specs[i].name, dims[i]));
    by_name.emplace(specs[i].name, dims[i]);
  }
  return by_name;
}

KernelState::Resolved KernelState::resolve(const LaunchKey& key, std::optional<StreamHandle> stream,
                                           InCapture in_capture) {
  const auto refuse = [&] {
    if (stream && in_capture == InCapture::refuse) refuse_capture(*stream, key.dims);
  };
  const auto ready = [&]() -> const LaunchRecord* {
    const LaunchRecord* const launch = table_.find(key);
    return launch != nullptr && !broken_.contains(launch->plan().config) ? launch : nullptr;
  };
  context_.require_current(name());
  const OnMiss on_miss = runtime().options().on_miss;
  if (on_miss == OnMiss::tune && is_tunable(key.dims) && table_.find(key) == nullptr &&
      !(stream && port_.device.is_capturing(*stream)))
    tune_if_missed(key);
  bool is_new = false;
  std::vector<Message> messages;
  Resolved resolved;
  const auto say = [&] {
    for (const Message& message : messages) runtime().warn_once(message.key, message.line);
  };
  try {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      // Another thread builds. A capturing thread is told at once rather than after a compilation.
      refuse();
      lock.lock();
    }
    resolved.launch = ready();
    if (resolved.launch == nullptr) {
      refuse();
      std::unique_ptr<LaunchRecord> built = build(key, messages);
      is_new = true;
      if (table_.size() < most_entries || table_.find(key) != nullptr) {
        resolved.launch = table_.put(std::move(built));
      } else {
        resolved.launch = built.get();
        resolved.temporary = std::move(built);
      }
    }
  } catch (...) {
    say();
    throw;
  }
  say();
  if (on_miss == OnMiss::record && is_new && is_tunable(key.dims) && resolved.launch->match() != Match::tuned)
    runtime().record_miss(name_to_tune_by(), miss_at(named(key.dims)));
  return resolved;
}

Ranking KernelState::rank(const Dims& dims, std::uint32_t alignment_bytes) const {
  Ranking ranking = selector_.rank(dims, alignment_bytes, runtime().toolchain(port_.device.info()));
  cover_.add_to(ranking, instance_.with_dims(dims), alignment_bytes);
  return ranking;
}

std::unique_ptr<LaunchRecord> KernelState::build(const LaunchKey& key, std::vector<Message>& messages) {
  const Dims dims = named(key.dims);
  const spec::Instance here = instance_.with_dims(dims);
  const Ranking ranking = rank(dims, key.alignment);
  std::string failed;
  for (const Candidate& candidate : ranking.candidates) {
    const bool is_default = &candidate == &ranking.candidates.back();
    const auto known = broken_.find(candidate.config);
    if (known != broken_.end() && !is_default) {
      failed += fmt::format("; {} failed here: {}", candidate.selection.config, known->second);
      continue;
    }
    try {
      std::unique_ptr<PreparedLaunch> launch = build_config(here, candidate.config, key);
      launch->selection = candidate.selection;
      launch->selection.reason += failed;
      if (launch->from_ptx) launch->selection.reason += "; compiled by the driver from the bundle's PTX";
      if (is_default && is_tunable(key.dims)) messages.push_back(notice(dims, launch->selection));
      return LaunchRecord::make(std::move(launch));
    } catch (const Error& error) {
      if (is_default || !is_fault_of_config(error)) throw;
      messages.push_back(
          {failure_line(candidate.selection, error), failure_line(candidate.selection, error)});
      failed += fmt::format("; {} failed here: {}", candidate.selection.config, error.what());
      // A plan that these dims do not allow says nothing about others; code that does not build does.
      if (error.kind() != ErrorKind::bad_input && error.kind() != ErrorKind::unsupported) {
        broken_.emplace(candidate.config, error.what());
      }
    }
  }
  throw Error(ErrorKind::internal, "the ranking had no default");
}

std::unique_ptr<PreparedLaunch> KernelState::build_config(const spec::Instance& here,
                                                          const spec::Config& config, const LaunchKey& key) {
  std::unique_ptr<Variant>& variant = variants_[config];
  if (variant == nullptr)
    variant = load_variant(runtime().code(here, config, port_.device.info().architecture()),
                           context_.loaded(), context_.device());
  std::unique_ptr<PreparedLaunch> launch = prepare_launch(here, config, key, *variant, context_.device());
  launch->from_ptx = variant->from_ptx;
  return launch;
}

void KernelState::refuse_capture(StreamHandle stream, std::span<const std::int64_t> dims) const {
  if (!port_.device.is_capturing(stream)) return;
  throw Error(ErrorKind::capture,
              fmt::format("{} at {} was not prepared before this stream's capture", name(),
                          dims_text(instance_.spec(), dims)),
              "call prepare(), or launch once, with these dims on this thread and stream before the capture "
              "begins; or "
              "prepare them in a CaptureScope");
}

void KernelState::give_up(const PreparedLaunch& launch, const Error& error) {
  {
    const std::scoped_lock lock(mutex_);
    broken_.emplace(launch.config, error.what());
  }
  const std::string line = failure_line(launch.selection, error);
  runtime().warn_once(line, line);
}

std::string KernelState::failure_line(const Selection& selection, const Error& error) const {
  return fmt::format("{}: tuned config {} cannot run here, another takes its place: {}", name(),
                     selection.config, error.what());
}

KernelState::Message KernelState::notice(const Dims& dims, const Selection& selection) const {
  return {port_.device.info().traits.model + " " + shape_class(instance_, dims),
          fmt::format("{}: {}; the default config runs. To tune it: {}", name(), selection.reason,
                      tune_command(asked_name_, instance_, dims, runtime().tunable_database()))};
}

}  // namespace warptune::runtime
