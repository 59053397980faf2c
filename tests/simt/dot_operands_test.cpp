// dot with operands at every legal offset, at a million elements, and with terms that cancel: one
// instantiation per pack, kind of product and type, every way to finish.
#include <cmath>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/simt/dot_case.hpp"

namespace warptune::simt {
namespace {

constexpr int finishes[] = {two_pass, last_block, atomic};
constexpr Order both_orders[] = {Order::forward, Order::reverse};

std::vector<const DotEntry*> one_per_pack(unsigned threads, int unroll) {
  std::vector<const DotEntry*> chosen;
  for (const DotEntry& entry : dot_entries())
    if (entry.threads == threads && entry.unroll == unroll) chosen.push_back(&entry);
  return chosen;
}

// The exact data for a type, made once per test.
class DataByType {
 public:
  DataByType(Fill fill, std::int64_t elements) : fill_(fill), elements_(elements) {}
  const DotData& operator[](const std::string& type) {
    return data_.try_emplace(type, type, fill_, elements_).first->second;
  }

 private:
  Fill fill_;
  std::int64_t elements_;
  std::map<std::string, DotData> data_;
};

TEST(DotOperands, H19_EveryLegalPairOfOffsets) {
  constexpr std::int64_t lengths[] = {1, 2, 3, 7, 8, 9, 31, 33, 255, 257, 1000, 1025};
  DataByType whole(Fill::whole, 1025);
  DataByType uniform(Fill::uniform, 1025);
  const auto entries = one_per_pack(64, 2);
  std::int64_t cases = 0;
  for (const DotEntry* entry : entries)
    for (std::int64_t a = 0; a < 8; a += entry->pack)
      for (std::int64_t b = 0; b < 8; b += entry->pack)
        for (const std::int64_t n : lengths)
          for (const int finish : finishes)
            for (const Order order : both_orders) {
              DotData const& data = (order == Order::forward ? whole : uniform)[entry->type];
              ASSERT_EQ(run_dot({entry, 2, finish, n, a, b, order}, data), "");
              ++cases;
            }
  std::cout << "dot at all offsets: " << cases << " cases\n";
  EXPECT_EQ(entries.size(), 14u);
  // Offsets 0 to 7 in steps of the pack: 64, 16, 4, 1 pairs; float and the half2 products have three packs
  // each.
  EXPECT_EQ(cases, (84 + 85 + 21 + 85) * 12 * 3 * 2);
}

TEST(DotOperands, H18_AMillionAndThreeElements) {
  constexpr std::int64_t n = 1'000'003;
  DataByType whole(Fill::whole, n);
  DataByType uniform(Fill::uniform, n);
  std::int64_t cases = 0;
  for (const DotEntry* entry : one_per_pack(256, 4))
    for (const int finish : finishes)
      for (const Order order : both_orders) {
        DotData const& data = (order == Order::forward ? whole : uniform)[entry->type];
        ASSERT_EQ(run_dot({entry, 5, finish, n, 0, 0, order}, data), "");
        ++cases;
      }
  std::cout << "dot of a million and three elements: " << cases << " cases\n";
  EXPECT_EQ(cases, 14 * 3 * 2);
}

TEST(DotOperands, H18_LengthsOneTo33AndAroundTheBlock) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = 1; n <= 33; ++n) lengths.push_back(n);
  for (const std::int64_t around : {256, 1024})
    for (std::int64_t n = around - 9; n <= around + 9; ++n) lengths.push_back(n);
  DataByType whole(Fill::whole, 1033);
  std::int64_t cases = 0;
  for (const DotEntry* entry : one_per_pack(32, 2))
    for (const std::int64_t n : lengths)
      for (const int finish : finishes)
        for (const unsigned blocks : {1u, 2u}) {
          ASSERT_EQ(run_dot({entry, blocks, finish, n}, whole[entry->type]), "");
          ++cases;
        }
  EXPECT_EQ(cases, 14 * 71 * 3 * 2);
}

TEST(DotOperands, H12_TermsThatCancel) {
  constexpr std::int64_t n = 1'000'000;
  DataByType cancel(Fill::cancel, n);
  for (const DotEntry* entry : one_per_pack(256, 4)) {
    const DotData& data = cancel[entry->type];
    EXPECT_LT(std::fabs(data.sum(n)), 1e-6 * data.scale(n)) << "the terms do not cancel";
    for (const int finish : finishes) EXPECT_EQ(run_dot({entry, 5, finish, n}, data), "");
  }
}

// The verdict must tell a lost element from rounding, on the data that the tests above use.
TEST(DotOperands, H12_ALostElementIsSeen) {
  constexpr std::int64_t n = 1'000'000;
  for (const char* type : {"float", "__half", "__nv_bfloat16"}) {
    const DotData whole(type, Fill::whole, n);
    EXPECT_EQ(judge(static_cast<float>(whole.sum(n)), false, whole, n), "");
    EXPECT_NE(judge(static_cast<float>(whole.sum(n - 1)), false, whole, n), "");
    EXPECT_NE(judge(static_cast<float>(whole.sum(n) - (whole.sum(n / 2 + 256) - whole.sum(n / 2))), false,
                    whole, n),
              "");
    EXPECT_NE(judge(std::nanf(""), false, whole, n), "");
  }
}

TEST(DotReference, AddsProductsAndTheirMagnitudesInDouble) {
  constexpr std::int64_t n = 10'007;
  for (const DotReferenceEntry& reference : dot_reference_entries())
    for (const Order order : both_orders) {
      const DotData data(reference.type, Fill::uniform, n);
      DotBuffers buffers(data, n, 0, 0, 0, 0);
      double sum = 0.0;
      double scale = 0.0;
      Machine::instance().launch({3}, {256}, order,
                                 [&] { reference.kernel(buffers.a(), buffers.b(), &sum, &scale, n); });
      EXPECT_NEAR(sum, data.sum(n), 1e-12 * data.scale(n)) << reference.name;
      EXPECT_NEAR(scale, data.scale(n), 1e-12 * data.scale(n)) << reference.name;
    }
}

}  // namespace
}  // namespace warptune::simt
