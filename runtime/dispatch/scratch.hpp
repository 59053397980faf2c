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
  struct Entry;

 public:
  // Memory that stands in for the pool's own for one thread on one stream. Keep it where it is while it is lent.
  struct Loan {
    std::vector<DeviceBuffer> buffers;  // under device_.mutex
    Scratch kept;                       // what it stands in for
    Entry* entry = nullptr;             // null: not lent
  };
  explicit ScratchPool(SharedDevice& device) : device_(device) {}

  // The calling thread's scratch on `stream`; null before the first ensure(). No lock.
  const Scratch* find(StreamHandle stream) const noexcept;
  // Makes the calling thread's scratch on `stream` at least so large. Must not be called while `stream`
  // captures, unless it has a loan. Errors: out_of_memory, cuda.
  const Scratch& ensure(StreamHandle stream, const ScratchSize& needed);

  // From now on the calling thread's scratch on `stream` lies in `loan`, at first none. False: it lies in another already.
  bool lend(StreamHandle stream, Loan& loan);
  // The pool's own counts again. On the thread that lent; a loan that is not lent is left alone.
  static void take_back(Loan& loan) noexcept;

 private:
  struct Key {
    std::uint64_t thread;
    StreamHandle stream;
    std::uint64_t hash() const noexcept {
      return mix_hash(mix_hash(0, thread), static_cast<std::uint64_t>(stream));
    }
  };
  struct Entry {
    using Key = ScratchPool::Key;
    Key owner;
    Scratch scratch;       // read and written by the owning thread only
    Loan* loan = nullptr;  // likewise; null: scratch lies in the pool's own buffers
    Key key() const noexcept { return owner; }
    bool has_key(const Key& other) const noexcept {
      return owner.thread == other.thread && owner.stream == other.stream;
    }
  };
  Entry& entry_of(StreamHandle stream);
  static Key key_of(StreamHandle stream) noexcept;

  SharedDevice& device_;
  InsertOnlyTable<Entry> table_;       // put() under device_.mutex
  std::vector<DeviceBuffer> buffers_;  // under device_.mutex
};

}  // namespace warptune::runtime
