// The table of the fast path and the slots of threads.
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/dispatch/insert_only_table.hpp"
#include "runtime/dispatch/thread_slot.hpp"

namespace warptune::runtime {
namespace {

struct Number {
  using Key = int;
  std::uint64_t hash = 0;
  int number = 0;
  int payload = 0;
  Key key() const { return number; }
  bool has_key(Key other) const { return number == other; }
};

std::unique_ptr<Number> make(std::uint64_t hash, int number, int payload = 0) {
  return std::make_unique<Number>(Number{hash, number, payload});
}

TEST(InsertOnlyTable, FindsWhatWasPut) {
  InsertOnlyTable<Number> table;
  EXPECT_EQ(table.find(7, 7), nullptr);
  for (int i = 0; i < 1000; ++i) table.put(make(mix_hash(0, static_cast<std::uint64_t>(i)), i, 3 * i));
  EXPECT_EQ(table.size(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    const Number* const found = table.find(mix_hash(0, static_cast<std::uint64_t>(i)), i);
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(found->payload, 3 * i);
  }
  EXPECT_EQ(table.find(mix_hash(0, 1000), 1000), nullptr);
}

TEST(InsertOnlyTable, EqualHashesAreToldApartByTheirKeys) {
  InsertOnlyTable<Number> table;
  for (int i = 0; i < 40; ++i)
    table.put(make(15, i));  // 15: probing starts at the end of the smallest table and wraps
  for (int i = 0; i < 40; ++i) EXPECT_EQ(table.find(15, i)->number, i);
  EXPECT_EQ(table.find(15, 40), nullptr);
}

TEST(InsertOnlyTable, PutReplacesAndKeepsTheOldEntryAlive) {
  InsertOnlyTable<Number> table;
  const Number* const old = table.put(make(1, 1, 10));
  const Number* const replaced = table.put(make(1, 1, 20));
  EXPECT_EQ(table.find(1, 1), replaced);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(old->payload, 10);
}

TEST(InsertOnlyTable, ReadersSeeEntriesWholeWhileOneThreadAdds) {
  InsertOnlyTable<Number> table;
  constexpr int count = 3000;
  std::atomic<int> added = 0;
  std::vector<std::thread> readers;
  std::atomic<int> wrong = 0;
  for (int r = 0; r < 3; ++r) {
    readers.emplace_back([&] {
      for (int seen = 0; seen < count;) {
        seen = added.load(std::memory_order_acquire);
        for (int i = 0; i < seen; i += 97) {
          const Number* const found = table.find(mix_hash(0, static_cast<std::uint64_t>(i)), i);
          if (found == nullptr || found->payload != 3 * i) ++wrong;
        }
      }
    });
  }
  for (int i = 0; i < count; ++i) {
    table.put(make(mix_hash(0, static_cast<std::uint64_t>(i)), i, 3 * i));
    added.store(i + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadSlot, LivingThreadsDifferAndEndedOnesGiveTheirSlotBack) {
  const ThreadSlot mine = thread_slot();
  EXPECT_NE(mine.slot, 0U);
  EXPECT_EQ(thread_slot().slot, mine.slot);
  std::set<std::uint32_t> slots;
  std::set<std::uint64_t> serials;
  for (int i = 0; i < 20; ++i) {
    ThreadSlot other;
    std::thread([&] { other = thread_slot(); }).join();
    EXPECT_NE(other.slot, mine.slot);
    slots.insert(other.slot);
    serials.insert(other.serial);
  }
  EXPECT_EQ(slots.size(), 1U);
  EXPECT_EQ(serials.size(), 20U);
}

}  // namespace
}  // namespace warptune::runtime
