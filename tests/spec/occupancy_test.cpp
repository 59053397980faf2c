#include <warptune/spec/occupancy.hpp>

#include <gtest/gtest.h>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

KernelTraits kernel(int registers, int static_shared = 0) {
  KernelTraits traits;
  traits.registers = registers;
  traits.static_shared_bytes = static_shared;
  return traits;
}

// Figures of NVIDIA's occupancy calculator for compute capability 9.0: 64 warps, 32 blocks, 64 Ki registers,
// 228 KiB.
TEST(Occupancy, RegistersLimit) {
  const DeviceTraits device = test::h200();
  EXPECT_EQ(blocks_per_sm(device, kernel(34), 256, 0), 6);    // 1280 per warp: 12 warps per quarter, 48 / 8
  EXPECT_EQ(blocks_per_sm(device, kernel(32), 256, 0), 8);    // warps limit
  EXPECT_EQ(blocks_per_sm(device, kernel(255), 1024, 0), 0);  // 8 warps of 32 fit
  EXPECT_EQ(blocks_per_sm(device, kernel(64), 1024, 0), 1);
}

TEST(Occupancy, WarpsAndBlocksLimit) {
  const DeviceTraits device = test::h200();
  EXPECT_EQ(blocks_per_sm(device, kernel(16), 32, 0), 32);
  EXPECT_EQ(blocks_per_sm(device, kernel(16), 33, 0), 32);  // 2 warps each: 64 / 2
  EXPECT_EQ(blocks_per_sm(device, kernel(16), 65, 0), 21);  // 3 warps each
  EXPECT_EQ(blocks_per_sm(device, kernel(16), 1024, 0), 2);
  EXPECT_EQ(blocks_per_sm(device, kernel(16), 1025, 0), 0);
}

TEST(Occupancy, SharedMemoryLimits) {
  const DeviceTraits device = test::h200();
  EXPECT_EQ(blocks_per_sm(device, kernel(16), 128, 48 * 1024), 4);  // 49 KiB each with the reserved one
  EXPECT_EQ(blocks_per_sm(device, kernel(16, 16 * 1024), 128, 32 * 1024), 4);
  EXPECT_EQ(blocks_per_sm(device, kernel(16), 128, 227 * 1024), 1);
  EXPECT_EQ(blocks_per_sm(device, kernel(16), 128, 227 * 1024 + 1), 0);
  EXPECT_EQ(blocks_per_sm(device, kernel(16), 128, 228 * 1024), 0);
}

TEST(Occupancy, KernelsOwnThreadLimit) {
  KernelTraits traits = kernel(16);
  traits.max_threads_per_block = 256;
  EXPECT_EQ(blocks_per_sm(test::h200(), traits, 257, 0), 0);
  EXPECT_EQ(blocks_per_sm(test::h200(), traits, 256, 0), 8);
}

}  // namespace
}  // namespace warptune::spec
