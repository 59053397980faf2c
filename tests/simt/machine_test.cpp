// The CPU machine itself: right kernels run, and kernels with planted faults are found out.
#include "tests/simt/machine.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/simt/intrinsics.hpp"

namespace warptune::simt {
namespace {

constexpr Order both_orders[] = {Order::forward, Order::reverse};

template <int NUM_THREADS>
void reverse_through_shared(int* out, bool with_barrier) {
  __shared__ int values[NUM_THREADS];
  values[threadIdx.x] = 1000 + static_cast<int>(threadIdx.x);
  if (with_barrier) __syncthreads();
  out[threadIdx.x] = values[NUM_THREADS - 1 - threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = 0;
}

int wrong_values(Order order, bool with_barrier) {
  constexpr int threads = 96;
  std::vector<int> out(threads, -1);
  Machine::instance().launch({1}, {threads}, order,
                             [&] { reverse_through_shared<threads>(out.data(), with_barrier); });
  int wrong = 0;
  for (int i = 0; i < threads; ++i) wrong += out[static_cast<std::size_t>(i)] != 1000 + threads - 1 - i;
  return wrong;
}

std::string fault_of(Dim block, const std::function<void()>& body, Order order = Order::forward) {
  try {
    Machine::instance().launch({1}, block, order, body);
  } catch (const KernelFault& fault) {
    return fault.what();
  }
  return "";
}

TEST(Machine, GivesEachThreadItsPlace) {
  std::vector<unsigned> visits(2 * 3 * 4 * 5, 0);
  for (const Order order : both_orders)
    Machine::instance().launch({2, 3}, {4, 5}, order, [&] {
      EXPECT_EQ(gridDim.y, 3u);
      EXPECT_EQ(blockDim.x, 4u);
      ++visits[((blockIdx.y * 2 + blockIdx.x) * 5 + threadIdx.y) * 4 + threadIdx.x];
    });
  for (const unsigned count : visits) EXPECT_EQ(count, 2u);
}

TEST(Machine, ShufflesMoveValuesBetweenLanes) {
  std::vector<int> exchanged(64), shifted(64), broadcast(64);
  for (const Order order : both_orders) {
    Machine::instance().launch({1}, {64}, order, [&] {
      const int me = static_cast<int>(threadIdx.x);
      exchanged[threadIdx.x] = __shfl_xor_sync(0xffffffffu, me, 5);
      shifted[threadIdx.x] = __shfl_down_sync(0xffffffffu, me, 3);
      broadcast[threadIdx.x] = __shfl_sync(0xffffffffu, me, 7);
    });
    for (int i = 0; i < 64; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(exchanged[at], i ^ 5);
      EXPECT_EQ(shifted[at], i % 32 < 29 ? i + 3 : i);
      EXPECT_EQ(broadcast[at], i / 32 * 32 + 7);
    }
  }
}

TEST(Machine, AtomicIncWrapsAtItsLimit) {
  unsigned ticket = 0;
  std::vector<unsigned> drawn;
  Machine::instance().launch({7}, {1}, Order::forward, [&] { drawn.push_back(atomicInc(&ticket, 2)); });
  EXPECT_EQ(drawn, (std::vector<unsigned>{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(ticket, 1u);
}

TEST(Machine, BarrierOrdersSharedMemory) {
  for (const Order order : both_orders) EXPECT_EQ(wrong_values(order, true), 0);
}

TEST(Machine, MissingBarrierGivesAWrongResultInOneOrderAtLeast) {
  EXPECT_GT(wrong_values(Order::forward, false) + wrong_values(Order::reverse, false), 0);
}

TEST(Machine, LeavingThreadsNoLongerCountAtBarriers) {
  int passed = 0;
  EXPECT_EQ(fault_of({64},
                     [&] {
                       if (threadIdx.x >= 32) return;
                       __syncthreads();
                       ++passed;
                     }),
            "");
  EXPECT_EQ(passed, 32);
}

TEST(Machine, ReportsABarrierThatSomeThreadsMiss) {
  for (const Order order : both_orders) {
    const std::string fault = fault_of(
        {64},
        [] {
          if (threadIdx.x < 16) __syncwarp();
          __syncthreads();
        },
        order);
    EXPECT_NE(fault.find("deadlock: of 64 threads 48 wait at __syncthreads"), std::string::npos) << fault;
  }
}

TEST(Machine, ReportsABarrierReachedInTwoPlaces) {
  const std::string fault = fault_of({64}, [] {
    if (threadIdx.x < 32)
      __syncthreads();
    else
      __syncthreads();
  });
  EXPECT_NE(fault.find("divergent barrier"), std::string::npos) << fault;
}

TEST(Machine, RefusesPartialMasksAndIncompleteWarps) {
  EXPECT_NE(fault_of({32}, [] { __shfl_sync(0xffffu, 1, 0); }).find("mask"), std::string::npos);
  EXPECT_NE(fault_of({32},
                     [] {
                       if (threadIdx.x == 3) return;
                       __shfl_sync(0xffffffffu, 1, 0);
                     })
                .find("left the kernel"),
            std::string::npos);
}

TEST(Machine, WorksAfterAFault) {
  EXPECT_NE(fault_of({64},
                     [] {
                       if (threadIdx.x < 16) __syncwarp();
                       __syncthreads();
                     }),
            "");
  EXPECT_EQ(wrong_values(Order::forward, true), 0);
}

#if defined(__SANITIZE_ADDRESS__)
template <int NUM_THREADS>
void read_past_the_end(const uint4* values, unsigned* out, unsigned count) {
  if (threadIdx.x <= count) out[threadIdx.x] = values[threadIdx.x].w;
}

template <int NUM_THREADS>
void write_past_shared(int* out) {
  __shared__ int values[NUM_THREADS];
  int* next = &values[threadIdx.x] + 1;
  *next = 1;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

TEST(MachineDeathTest, SanitizerSeesAVectorLoadPastTheEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::unique_ptr<uint4[]> values(new uint4[8]());
  std::vector<unsigned> out(32);
  EXPECT_DEATH(Machine::instance().launch({1}, {32}, Order::forward,
                                          [&] { read_past_the_end<32>(values.get(), out.data(), 8); }),
               "heap-buffer-overflow");
}

TEST(MachineDeathTest, SanitizerSeesSharedMemoryOverrun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::vector<int> out(64);
  EXPECT_DEATH(
      Machine::instance().launch({1}, {64}, Order::forward, [&] { write_past_shared<64>(out.data()); }),
      "global-buffer-overflow");
}

TEST(MachineDeathTest, SanitizerSeesAMisalignedVectorLoad) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::unique_ptr<std::byte[]> bytes(new std::byte[64]());
  unsigned sum = 0;
  EXPECT_DEATH(
      Machine::instance().launch({1}, {1}, Order::forward,
                                 [&] { sum += __ldcs(reinterpret_cast<const uint4*>(bytes.get() + 2)).x; }),
      "misaligned address");
}
#endif

}  // namespace
}  // namespace warptune::simt
