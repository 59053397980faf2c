// Hash table whose reads take no lock: entries are added or replaced, never removed, and live as long as the
// table. find() may run on any thread at any time; put() by one thread at a time, under the owner's lock.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace warptune::runtime {

// One step of a hash: every bit of `value` reaches the upper bits of the result, which are those that count.
constexpr std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t value) noexcept {
  return (std::rotl(hash, 26) ^ value) * 0x9e3779b97f4a7c15ULL;  // 2^64 / golden ratio, odd
}

// Entry has `using Key`, which has `std::uint64_t hash() const`; `bool has_key(const Key&) const`, `Key key() const`. Keys never
// change. A look-up reads one word of the table, the slots that it probes (one, mostly), and the entries there.
template <typename Entry>
class InsertOnlyTable {
 public:
  using Key = typename Entry::Key;

  InsertOnlyTable() : writing_(std::make_unique<Writing>()) { grow_to(4); }

  // Null: not there.
  Entry* find(const Key& key) const noexcept {
    const Slots slots(slots_.load(std::memory_order_acquire));
    for (std::size_t at = slots.first(key);; at = slots.after(at)) {
      Entry* entry = slots.at[at].load(std::memory_order_acquire);
      if (entry == nullptr || entry->has_key(key)) return entry;
    }
  }

  // Adds `entry`, or puts it in the place of the one with the same key, which readers may go on using.
  Entry* put(std::unique_ptr<Entry> entry) {
    Writing& writing = *writing_;
    writing.entries.push_back(std::move(entry));
    Entry* const added = writing.entries.back().get();
    if (writing.used * 2 >= std::size_t{1} << writing.log2_slots) grow_to(writing.log2_slots + 1);
    writing.used += place(Slots(slots_.load(std::memory_order_relaxed)), added) ? 1U : 0U;
    return added;
  }

  // Number of distinct keys. For the thread that may call put().
  std::size_t size() const { return writing_->used; }
  // All entries that find() gives, in no order. For the thread that may call put(), which it may not do meanwhile.
  template <typename Visit>
  void visit(Visit visit) const {
    const Slots slots(slots_.load(std::memory_order_relaxed));
    for (std::size_t at = 0; at < std::size_t{1} << writing_->log2_slots; ++at)
      if (Entry* const entry = slots.at[at].load(std::memory_order_relaxed)) visit(*entry);
  }

 private:
  static constexpr std::size_t line_bytes = 64;
  struct alignas(line_bytes) Line {
    std::atomic<Entry*> slots[line_bytes / sizeof(void*)] = {};
  };
  // Where they lie, and in the low bits, which alignment leaves free, how far a hash is shifted to give the first.
  struct Slots {
    explicit Slots(std::uintptr_t word) noexcept
        : at(reinterpret_cast<std::atomic<Entry*>*>(word & ~(line_bytes - 1))), shift(word % line_bytes) {}
    std::size_t first(const Key& key) const noexcept { return key.hash() >> shift; }
    std::size_t after(std::size_t slot) const noexcept { return (slot + 1) & (~std::uint64_t{0} >> shift); }
    std::atomic<Entry*>* at;
    std::size_t shift;
  };
  // What only put() needs.
  struct Writing {
    std::size_t used = 0;
    unsigned log2_slots = 0;
    std::vector<std::unique_ptr<Line[]>>
        lines;  // readers may still hold old ones; in all less than twice the newest
    std::vector<std::unique_ptr<Entry>> entries;
  };

  // True when the key is new.
  static bool place(const Slots& slots, Entry* entry) {
    for (std::size_t at = slots.first(entry->key());; at = slots.after(at)) {
      Entry* const there = slots.at[at].load(std::memory_order_relaxed);
      if (there != nullptr && !there->has_key(entry->key())) continue;
      slots.at[at].store(entry, std::memory_order_release);
      return there == nullptr;
    }
  }
  // At most half of the slots are used, so that probes stay short.
  void grow_to(unsigned log2_slots) {
    const std::size_t count = std::size_t{1} << log2_slots;
    auto lines = std::make_unique<Line[]>(count * sizeof(void*) / line_bytes);
    const std::uintptr_t word = reinterpret_cast<std::uintptr_t>(lines.get()) | (64 - log2_slots);
    if (!writing_->lines.empty()) visit([&](Entry& entry) { place(Slots(word), &entry); });
    writing_->lines.push_back(std::move(lines));
    writing_->log2_slots = log2_slots;
    slots_.store(word, std::memory_order_release);
  }

  std::atomic<std::uintptr_t> slots_ = 0;
  std::unique_ptr<Writing> writing_;
};

}  // namespace warptune::runtime
