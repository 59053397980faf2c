// Device memory that launch plans need beside the caller's buffers: workspaces and counters.
// Scratch belongs to one thread on one stream, so that two threads launching plans of several steps on one
// stream cannot mix them up, and CU_STREAM_PER_THREAD, one handle for many streams, is safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/dispatch/insert_only_table.hpp"
#include "runtime/dispatch/shared_device.hpp"
#include "runtime/dispatch/thread_slot.hpp"

namespace warptune::runtime {

struct ScratchSize {
  std::size_t workspace_bytes = 0;
  std::size_t counter_bytes = 0;
};

struct Scratch {
  DevicePointer workspace = 0;
  DevicePointer counters = 0;  // zero whenever no launch is in flight
  ScratchSize size;

  bool holds(const ScratchSize& needed) const noexcept {
    return size.workspace_bytes >= needed.workspace_bytes && size.counter_bytes >= needed.counter_bytes;
  }
};

// Thread-safe. Memory is kept until the pool dies: launches in flight and captured graphs may use what was
// outgrown.
class ScratchPool {
 public:
  explicit ScratchPool(SharedDevice& device) : device_(device) {}

  // The calling thread's scratch on `stream`; null before the first ensure(). No lock.
  const Scratch* find(StreamHandle stream) const noexcept;
  // Makes the calling thread's scratch on `stream` at least so large. Must not be called while `stream`
  // captures. Errors: out_of_memory, cuda.
  const Scratch& ensure(StreamHandle stream, const ScratchSize& needed);

 private:
  struct Key {
    std::uint64_t thread;
    StreamHandle stream;
  };
  struct Entry {
    using Key = ScratchPool::Key;
    std::uint64_t hash;
    Key owner;
    Scratch scratch;  // read and written by the owning thread only
    Key key() const noexcept { return owner; }
    bool has_key(const Key& other) const noexcept {
      return owner.thread == other.thread && owner.stream == other.stream;
    }
  };
  static Key key_of(StreamHandle stream) noexcept;
  static std::uint64_t hash_of(const Key& key) noexcept;

  SharedDevice& device_;
  InsertOnlyTable<Entry> table_;       // put() under device_.mutex
  std::vector<DeviceBuffer> buffers_;  // under device_.mutex
};

}  // namespace warptune::runtime
