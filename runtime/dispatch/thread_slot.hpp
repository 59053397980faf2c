// A small number for the calling thread. Numbers of threads that ended are given again. Thread-safe, no lock
// after the first call on a thread.
#pragma once

#include <cstdint>

namespace warptune::runtime {

struct ThreadSlot {
  std::uint32_t slot = 0;    // from 1; unique among living threads
  std::uint64_t serial = 0;  // from 1; never given again
};

namespace detail {
extern constinit thread_local ThreadSlot this_thread_slot;
void assign_thread_slot();
}  // namespace detail

inline const ThreadSlot& thread_slot() {
  if (detail::this_thread_slot.slot == 0) detail::assign_thread_slot();
  return detail::this_thread_slot;
}

}  // namespace warptune::runtime
