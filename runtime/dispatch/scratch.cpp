#include "runtime/dispatch/scratch.hpp"

#include <algorithm>
#include <memory>

namespace warptune::runtime {
namespace {

constexpr StreamHandle stream_per_thread{2};  // CU_STREAM_PER_THREAD: one handle, a stream for each thread

}  // namespace

ScratchPool::Key ScratchPool::key_of(StreamHandle stream) noexcept {
  const ThreadSlot& thread = thread_slot();
  // A later thread with the same slot has another per-thread stream, not ordered with this one: there the
  // serial decides. The high bit keeps serials and slots apart.
  constexpr std::uint64_t serials = std::uint64_t{1} << 63;
  return {stream == stream_per_thread ? serials | thread.serial : thread.slot, stream};
}

const Scratch* ScratchPool::find(StreamHandle stream) const noexcept {
  const Entry* const entry = table_.find(key_of(stream));
  return entry == nullptr ? nullptr : &entry->scratch;
}

// Precondition: device_.mutex is held.
ScratchPool::Entry& ScratchPool::entry_of(StreamHandle stream) {
  const Key key = key_of(stream);
  Entry* const entry = table_.find(key);
  return entry != nullptr ? *entry : *table_.put(std::make_unique<Entry>(Entry{key, {}}));
}

const Scratch& ScratchPool::ensure(StreamHandle stream, const ScratchSize& needed) {
  const std::scoped_lock lock(device_.mutex);
  Entry& entry = entry_of(stream);
  Scratch& scratch = entry.scratch;
  std::vector<DeviceBuffer>& buffers = entry.loan != nullptr ? entry.loan->buffers : buffers_;
  Device& device = *device_.device;
  // Doubling keeps what was outgrown smaller than what is in use.
  if (scratch.size.workspace_bytes < needed.workspace_bytes) {
    const std::size_t bytes = std::max(needed.workspace_bytes, 2 * scratch.size.workspace_bytes);
    scratch.workspace = buffers.emplace_back(device, bytes).get();
    scratch.size.workspace_bytes = bytes;
  }
  if (scratch.size.counter_bytes < needed.counter_bytes) {
    const std::size_t bytes = std::max(needed.counter_bytes, 2 * scratch.size.counter_bytes);
    const DevicePointer counters = buffers.emplace_back(device, bytes).get();
    if (entry.loan != nullptr && !device.is_capturing(stream)) {
      // Synchronous: the graph may be replayed on another stream, and this one's work is not ordered with that.
      device.copy_to_device(counters, std::vector<std::byte>(bytes).data(), bytes);
    } else {
      device.fill(counters, 0, bytes, stream);
    }
    scratch.counters = counters;
    scratch.size.counter_bytes = bytes;
  }
  return scratch;
}

bool ScratchPool::lend(StreamHandle stream, Loan& loan) {
  const std::scoped_lock lock(device_.mutex);
  Entry& entry = entry_of(stream);
  if (entry.loan != nullptr) return false;
  loan.kept = entry.scratch;
  loan.entry = &entry;
  entry.scratch = {};
  entry.loan = &loan;
  return true;
}

void ScratchPool::take_back(Loan& loan) noexcept {
  if (loan.entry == nullptr) return;
  loan.entry->scratch = loan.kept;
  loan.entry->loan = nullptr;
  loan.entry = nullptr;
}

}  // namespace warptune::runtime
