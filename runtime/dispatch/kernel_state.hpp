// One kernel of a Runtime in one context: the table that launches look themselves up in, and the slow path that fills it.
// Thread-safe. The fast path reads only atomics and what never changes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <warptune/runtime/cover_selector.hpp>
#include <warptune/runtime/runtime.hpp>
#include <warptune/runtime/selection.hpp>

#include "runtime/dispatch/launch_record.hpp"
#include "runtime/dispatch/prepared_launch.hpp"
#include "runtime/dispatch/runtime_state.hpp"
#include "runtime/dispatch/variant.hpp"

namespace warptune::runtime {

class alignas(64) KernelState {
 public:
  // `asked_name`: as the caller wrote it; the tune command that notices give repeats it. `policies`: as asked for.
  KernelState(ContextState& context, std::string asked_name, const std::vector<std::string>& policies,
              Selector selector, CoverSelector cover = {});

  // See Kernel.
  Match launch(StreamHandle stream, std::span<const std::int64_t> dims, std::span<void* const> pointers);
  // The same with the caller's scratch instead of this thread's on the stream.
  Match launch(StreamHandle stream, std::span<const std::int64_t> dims, std::span<void* const> pointers,
               const Scratch& own);
  // Before a launch of pointers to these types. `names`: one per pointer, the same address for the same names. Errors: usage, where
  // one that is told is not the manifest's.
  void require_types(const std::string_view* names, std::size_t count) {
    if (names != checked_names_.load(std::memory_order_relaxed)) [[unlikely]]
      check_types(names, count);
  }
  void prepare(StreamHandle stream, std::span<const std::int64_t> dims, std::int64_t alignment_bytes);
  // The same while the calling thread's scratch on `stream` lies in a loan: then in a capture too.
  void prepare_in_scope(StreamHandle stream, std::span<const std::int64_t> dims,
                        std::int64_t alignment_bytes);
  // Scratch that launches at these dims need; everything else about them is ready afterwards.
  ScratchSize reserve(std::span<const std::int64_t> dims, std::int64_t alignment_bytes);
  Selection select(std::span<const std::int64_t> dims, std::int64_t alignment_bytes);

  const std::string& name() const { return instance_.spec().name; }
  ContextState& context() { return context_; }

 private:
  using Dims = std::map<std::string, std::int64_t, std::less<>>;
  // The most keys that are remembered; later ones are planned anew for each launch.
  static constexpr std::size_t most_entries = std::size_t{1} << 16;

  // What is checked of one caller pointer: bits that must be clear, and bits that tell its alignment where
  // configs care.
  struct PointerRule {
    std::uint32_t element_mask = 0;
    std::uint32_t packed_mask = 0;
  };
  static constexpr std::size_t most_pointers = 64;
  // A launch that is ready; `temporary` holds it where the table is full.
  struct Resolved {
    const LaunchRecord* launch = nullptr;
    std::unique_ptr<LaunchRecord> temporary;
  };
  // Warnings are said once no lock is held.
  struct Message {
    std::string key, line;
  };

  std::uint32_t alignment_key(std::int64_t alignment_bytes) const;
  Dims named(std::span<const std::int64_t> dims) const;
  enum class InCapture { refuse, go_on };
  // `stream`: where the launch will go, whose capture matters; nothing: no stream is involved.
  Resolved resolve(const LaunchKey& key, std::optional<StreamHandle> stream,
                   InCapture in_capture = InCapture::refuse);
  // Of records and of the bundle's cover.
  Ranking rank(const Dims& dims, std::uint32_t alignment_bytes) const;
  std::unique_ptr<LaunchRecord> build(const LaunchKey& key, std::vector<Message>& messages);
  // Nothing can be tuned where a dim is 0.
  static bool is_tunable(std::span<const std::int64_t> dims);
  Miss miss_at(const Dims& dims) const;
  std::string name_to_tune_by() const;
  // Tunes what is asked for where nobody tried before, and puts what was found in the place of what served so far.
  void tune_if_missed(const LaunchKey& key);
  std::unique_ptr<PreparedLaunch> build_config(const spec::Instance& here, const spec::Config& config,
                                               const LaunchKey& key);
  void refuse_capture(StreamHandle stream, std::span<const std::int64_t> dims) const;
  [[gnu::cold]] void check_types(const std::string_view* names, std::size_t count);
  // `own`: null: this thread's on the stream.
  [[gnu::always_inline]] Match launch_with(StreamHandle stream, std::span<const std::int64_t> dims,
                                           std::span<void* const> pointers, const Scratch* own);
  // The launch of a key that is not in the table, or whose config was given up.
  [[gnu::cold]] Match launch_new(const LaunchKey& key, StreamHandle stream, std::span<void* const> pointers,
                                 const Scratch* own);
  [[gnu::always_inline]] Match run(const LaunchRecord& launch, StreamHandle stream,
                                   std::span<const std::int64_t> dims, std::span<void* const> pointers,
                                   const Scratch* own);
  // The scratch of a launch that needs some. Errors: usage (`own` is too small), capture, out_of_memory, cuda.
  const Scratch& scratch_for(const LaunchRecord& launch, StreamHandle stream,
                             std::span<const std::int64_t> dims, const Scratch* own);
  // Errors: usage, where one of them is null that must not be.
  void require_operands(const LaunchRecord& launch, std::span<void* const> pointers) const;
  void give_up(const PreparedLaunch& launch, const Error& error);
  Message notice(const Dims& dims, const Selection& selection) const;
  std::string failure_line(const Selection& selection, const Error& error) const;

  RuntimeState& runtime() const { return context_.runtime(); }

  // What a hit reads, in this order: one cache line where there are up to three operands.
  InsertOnlyTable<LaunchRecord> table_;  // put() under mutex_
  const LaunchPort port_;                // of which the device is not read
  std::uint32_t pointer_count_ = 0;
  std::uint32_t largest_alignment_ = 1;  // a power of two; alignment beyond it makes no difference
  std::array<PointerRule, most_pointers> pointer_rules_;
  std::atomic<const std::string_view*> checked_names_ = nullptr;  // those of the latest typed launch

  ContextState& context_;
  const std::string asked_name_;
  const std::string policy_;       // the first that was asked for
  const spec::Instance instance_;  // its dims do not matter
  const CoverSelector cover_;

  std::mutex mutex_;  // held while a variant is built: first use happens once
  Selector selector_;
  std::set<std::vector<std::int64_t>> tried_;  // dims that the tuner was asked for
  std::unordered_map<spec::Config, std::unique_ptr<Variant>, spec::ConfigHash> variants_;
  std::unordered_map<spec::Config, std::string, spec::ConfigHash> broken_;  // what failed here, and how
};

}  // namespace warptune::runtime
