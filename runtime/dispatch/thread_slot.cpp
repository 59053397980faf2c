#include "runtime/dispatch/thread_slot.hpp"

#include <mutex>
#include <vector>

namespace warptune::runtime {
namespace {

struct Pool {
  std::mutex mutex;
  std::vector<std::uint32_t> free;
  std::uint32_t slots = 0;
  std::uint64_t serials = 0;
};

// Never destroyed: threads may end after static objects are gone.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

// Gives the slot back when its thread ends.
struct Return {
  std::uint32_t slot = 0;
  ~Return() {
    if (slot == 0) return;
    try {
      const std::scoped_lock lock(pool().mutex);
      pool().free.push_back(slot);
    } catch (...) {  // out of memory: this slot stays taken
    }
  }
};

}  // namespace

namespace detail {

constinit thread_local ThreadSlot this_thread_slot;

void assign_thread_slot() {
  thread_local Return on_exit;
  const std::scoped_lock lock(pool().mutex);
  if (pool().free.empty()) {
    on_exit.slot = ++pool().slots;
  } else {
    on_exit.slot = pool().free.back();
    pool().free.pop_back();
  }
  this_thread_slot = {on_exit.slot, ++pool().serials};
}

}  // namespace detail
}  // namespace warptune::runtime
