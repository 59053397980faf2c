// The table of the fast path and the slots of threads.
#include <algorithm>
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
  struct Key {
    int number = 0;
    bool collides = false;
    std::uint64_t hash() const {
      return collides ? ~std::uint64_t{0} : mix_hash(0, static_cast<std::uint64_t>(number));
    }
  };
  Key identity;
  int payload = 0;
  Key key() const { return identity; }
  bool has_key(const Key& other) const { return identity.number == other.number; }
};

std::unique_ptr<Number> make(int number, int payload = 0) {
  return std::make_unique<Number>(Number{{number}, payload});
}

TEST(InsertOnlyTable, FindsWhatWasPut) {
  InsertOnlyTable<Number> table;
  EXPECT_EQ(table.find({7}), nullptr);
  for (int i = 0; i < 1000; ++i) table.put(make(i, 3 * i));
  EXPECT_EQ(table.size(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    const Number* const found = table.find({i});
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(found->payload, 3 * i);
  }
  EXPECT_EQ(table.find({1000}), nullptr);
}

TEST(InsertOnlyTable, EqualHashesAreToldApartByTheirKeys) {
  InsertOnlyTable<Number> table;
  // All probing starts at the table's end and wraps.
  for (int i = 0; i < 40; ++i) table.put(std::make_unique<Number>(Number{{i, true}, 3 * i}));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(table.find({i, true})->payload, 3 * i);
  EXPECT_EQ(table.find({40, true}), nullptr);
}

TEST(InsertOnlyTable, PutReplacesAndKeepsTheOldEntryAlive) {
  InsertOnlyTable<Number> table;
  const Number* const old = table.put(make(1, 10));
  const Number* const replaced = table.put(make(1, 20));
  EXPECT_EQ(table.find({1}), replaced);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(old->payload, 10);
}

TEST(InsertOnlyTable, VisitsEachKeyOnceWithItsNewestEntry) {
  InsertOnlyTable<Number> table;
  for (int i = 0; i < 100; ++i) table.put(make(i, 1));
  for (int i = 0; i < 100; i += 2) table.put(make(i, 1000));
  int sum = 0;
  table.visit([&](const Number& number) { sum += number.payload; });
  EXPECT_EQ(sum, 50 * 1000 + 50);
}

// Sizes that people use are far from random: powers of two, multiples of them, and neighbours. The slots that a look-up probes
// stay few.
TEST(InsertOnlyTable, SizesThatPeopleUseSpreadOverTheSlots) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t n = 1; n < std::uint64_t{1} << 40; n *= 2)
    for (std::uint64_t multiple = 1; multiple < 20; multiple += 2)
      hashes.push_back(mix_hash(16, n * multiple));
  for (std::uint64_t h = 64; h <= 4096; h += 64)
    for (std::uint64_t n = 1; n <= 8; ++n)
      hashes.push_back(mix_hash(mix_hash(mix_hash(16, 32000), n * 1024), h));
  std::vector<int> slots(2048);
  for (const std::uint64_t hash : hashes) ++slots[hash >> 53];
  ASSERT_LT(hashes.size() * 2, slots.size());
  EXPECT_LE(*std::max_element(slots.begin(), slots.end()), 6);
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
          const Number* const found = table.find({i});
          if (found == nullptr || found->payload != 3 * i) ++wrong;
        }
      }
    });
  }
  for (int i = 0; i < count; ++i) {
    table.put(make(i, 3 * i));
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
