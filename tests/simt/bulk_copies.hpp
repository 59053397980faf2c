// Dynamic shared memory and bulk copies of a launch on the CPU machine. Copies happen at the last moment that the hardware
// allows, so that a missing wait shows as wrong bytes. Not thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "tests/simt/machine.hpp"

namespace warptune::simt {

class BulkCopies {
 public:
  static BulkCopies& instance() {
    static BulkCopies only;
    return only;
  }

  // Before a launch: its dynamic shared memory, no byte more.
  void begin_launch(std::size_t shared_bytes) {
    shared_.reset(new (std::align_val_t{16}) unsigned char[shared_bytes]);
    std::memset(shared_.get(), 0xa5, shared_bytes);
    barriers_.clear();
    groups_.clear();
  }
  // After it: whether every copy was waited for.
  bool all_waited_for() const {
    for (const auto& [address, barrier] : barriers_)
      if (!barrier.loads.empty()) return false;
    for (const auto& [thread, groups] : groups_)
      for (const auto& group : groups)
        if (!group.empty()) return false;
    return true;
  }
  unsigned char* shared() { return shared_.get(); }

  void init(const void* barrier) { barriers_[barrier] = {}; }
  void load(void* shared, const void* global, unsigned bytes, const void* barrier) {
    require_multiple_of_16(shared, global, bytes);
    if (!barriers_.contains(barrier)) throw KernelFault("a bulk load on a barrier that was not initialised");
    if (!barriers_[barrier].loads.empty())
      throw KernelFault("a second thread-announced load in one phase of a barrier that counts one arrival");
    barriers_[barrier].loads.push_back({shared, global, bytes});
  }
  void wait_load(const void* barrier, unsigned parity) {
    Barrier& state = barriers_.at(barrier);
    if (state.phase != parity) return;  // that phase is over
    if (state.loads.empty()) throw KernelFault("deadlock: a wait for a bulk load that nobody began");
    for (const Copy& copy : state.loads) copy.run();
    state.loads.clear();
    state.phase ^= 1U;
  }
  void store(void* global, const void* shared, unsigned bytes) {
    require_multiple_of_16(global, shared, bytes);
    open_group().push_back({global, shared, bytes});
  }
  void commit_stores() { groups_[thread()].emplace_back(); }
  void wait_stores(std::size_t pending) {
    std::vector<Group>& groups = groups_[thread()];
    while (groups.size() > pending + 1) {  // the last one is open
      for (const Copy& copy : groups.front()) copy.run();
      groups.erase(groups.begin());
    }
  }

 private:
  struct Copy {
    void* to;
    const void* from;
    unsigned bytes;
    void run() const { std::memcpy(to, from, bytes); }
  };
  using Group = std::vector<Copy>;
  struct Barrier {
    std::vector<Copy> loads;
    unsigned phase = 0;
  };
  struct FreeAligned {
    void operator()(unsigned char* memory) const { ::operator delete[](memory, std::align_val_t{16}); }
  };

  static unsigned thread() { return Machine::instance().current().index; }
  Group& open_group() {
    std::vector<Group>& groups = groups_[thread()];
    if (groups.empty()) groups.emplace_back();
    return groups.back();
  }
  static void require_multiple_of_16(const void* a, const void* b, unsigned bytes) {
    if ((reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) | bytes) % 16 != 0 ||
        bytes == 0)
      throw KernelFault("a bulk copy of addresses or a size that are no multiple of 16");
  }

  std::unique_ptr<unsigned char[], FreeAligned> shared_;
  std::map<const void*, Barrier> barriers_;
  std::map<unsigned, std::vector<Group>> groups_;  // by thread; the last of each is open
};

}  // namespace warptune::simt
