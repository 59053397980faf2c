// dot_finish on the CPU: every count of partial sums around its vector loads, its threads and its unrolling.
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "tests/simt/dot_entries.hpp"
#include "tests/simt/kernel_order.hpp"

namespace warptune::simt {
namespace {

// Whole numbers, none zero, whose sums are exact in float.
float partial(long long i) { return static_cast<float>(i % 7 - 8); }

TEST(DotFinish, AddsEveryPartialSumOnce) {
  int cases = 0;
  for (const DotFinishEntry& entry : dot_finish_entries()) {
    const auto threads = static_cast<long long>(entry.threads);
    std::vector<long long> counts;
    for (long long i = 1; i <= 40; ++i) counts.push_back(i);
    for (long long edge : {threads, 4 * threads, 8 * threads, 32 * threads})
      for (long long i = edge - 5; i <= edge + 5; ++i) counts.push_back(i);
    for (long long count : counts) {
      // No byte more than count floats, so that AddressSanitizer sees a load past the end.
      const std::unique_ptr<float[]> partials(new float[static_cast<std::size_t>(count)]);
      long long sum = 0;
      for (long long i = 0; i < count; ++i) {
        partials[static_cast<std::size_t>(i)] = partial(i);
        sum += i % 7 - 8;
      }
      for (const Order order : {Order::forward, Order::reverse}) {
        float y = std::numeric_limits<float>::quiet_NaN();
        kernel_waits = 0;
        Machine::instance().launch({1}, {entry.threads}, order,
                                   [&] { entry.kernel(partials.get(), &y, count); });
        ASSERT_EQ(y, static_cast<float>(sum)) << entry.name << " of " << count;
        ASSERT_EQ(kernel_waits, entry.threads) << "a thread reads partial sums without waiting for dot";
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 2 * 2 * (40 + 4 * 11));
}

}  // namespace
}  // namespace warptune::simt
