// Hash table whose reads take no lock: entries are added or replaced, never removed, and live as long as the
// table. find() may run on any thread at any time; put() by one thread at a time, under the owner's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace warptune::runtime {

// One step of a 64-bit mix (the finaliser of MurmurHash3): every bit of `value` reaches every bit of the
// result.
inline std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t value) noexcept {
  hash ^= value;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return hash ^ (hash >> 33);
}

// Entry has `using Key`, `std::uint64_t hash` and `bool has_key(const Key&) const`, `Key key() const`; hash
// and key never change.
template <typename Entry>
class InsertOnlyTable {
 public:
  using Key = typename Entry::Key;

  InsertOnlyTable() { publish(std::make_unique<Slots>(16)); }

  // Null: not there.
  Entry* find(std::uint64_t hash, const Key& key) const noexcept {
    const Slots& slots = *slots_.load(std::memory_order_acquire);
    for (std::size_t at = hash & slots.mask;; at = (at + 1) & slots.mask) {
      Entry* entry = slots.at[at].load(std::memory_order_acquire);
      if (entry == nullptr || (entry->hash == hash && entry->has_key(key))) return entry;
    }
  }

  // Adds `entry`, or puts it in the place of the one with the same key, which readers may go on using.
  Entry* put(std::unique_ptr<Entry> entry) {
    entries_.push_back(std::move(entry));
    Entry* const added = entries_.back().get();
    const std::size_t size = slots_.load(std::memory_order_relaxed)->mask + 1;
    if (used_ * 2 >= size) {  // at most half full, so that probes stay short
      auto larger = std::make_unique<Slots>(size * 2);
      const Slots& old = *slots_.load(std::memory_order_relaxed);
      for (std::size_t at = 0; at < size; ++at) {
        if (Entry* moved = old.at[at].load(std::memory_order_relaxed)) place(*larger, moved);
      }
      publish(std::move(larger));
    }
    used_ += place(*slots_.load(std::memory_order_relaxed), added) ? 1U : 0U;
    return added;
  }

  // Number of distinct keys. For the thread that may call put().
  std::size_t size() const { return used_; }

 private:
  struct Slots {
    explicit Slots(std::size_t size) : mask(size - 1), at(std::make_unique<std::atomic<Entry*>[]>(size)) {}
    std::size_t mask;  // size - 1; sizes are powers of two
    std::unique_ptr<std::atomic<Entry*>[]> at;
  };

  // True when the key is new.
  static bool place(Slots& slots, Entry* entry) {
    for (std::size_t at = entry->hash & slots.mask;; at = (at + 1) & slots.mask) {
      Entry* const there = slots.at[at].load(std::memory_order_relaxed);
      if (there != nullptr && !(there->hash == entry->hash && there->has_key(entry->key()))) continue;
      slots.at[at].store(entry, std::memory_order_release);
      return there == nullptr;
    }
  }
  void publish(std::unique_ptr<Slots> slots) {
    slots_.store(slots.get(), std::memory_order_release);
    all_slots_.push_back(std::move(slots));
  }

  std::atomic<Slots*> slots_ = nullptr;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Slots>>
      all_slots_;  // readers may still hold old ones; in all less than twice the newest
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace warptune::runtime
