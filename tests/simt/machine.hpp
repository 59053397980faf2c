// One GPU block at a time on one OS thread: a fiber per thread, block and warp barriers, a choice of
// scheduling order. Not thread-safe: kernels reach the one machine of the process.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tests/simt/fiber.hpp"

namespace warptune::simt {

// What a kernel did that no GPU would forgive: barriers that do not match, a shuffle that misses lanes.
class KernelFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Which of the runnable warps, and of a warp's runnable lanes, goes first. A missing barrier shows in at
// least one of them wherever one thread reads what another writes.
enum class Order { forward, reverse };

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

enum class Wait : std::uint8_t { none, warp, block };

struct Lane {
  explicit Lane(unsigned colour) : fiber(colour) {}
  Fiber fiber;
  Dim thread;
  unsigned index = 0;  // within the block
  Wait waits = Wait::none;
  std::uint32_t generation = 0;  // of the barrier that it waits at
};

struct Warp {
  static constexpr unsigned size = 32;
  std::uint32_t generation = 0;  // counts completed barriers
  unsigned lanes = 0, live = 0, arrived = 0;
  // Values under exchange, two sets in turn: the next exchange may begin while lanes still read the last.
  alignas(16) std::array<std::array<std::array<std::byte, 16>, size>, 2> slots;
};

class Machine {
 public:
  static Machine& instance() { return only_; }

  // Runs body once per thread of the grid, block after block. Preconditions: no launch in progress; at most
  // 1024 threads a block. Error: KernelFault, or what the body threw; the machine is usable afterwards.
  void launch(Dim grid, Dim block, Order order, const std::function<void()>& body);

  // For kernels. `line` tells one barrier from another.
  void sync_block(int line);
  void sync_warp();
  // The value that lane `source` (taken modulo 32) of the calling warp brings. Every lane of the warp takes
  // part.
  template <typename T>
  T exchange(T value, unsigned source) {
    static_assert(sizeof(T) <= 16);
    Warp& warp = warps_[current_->index / Warp::size];
    if (warp.live != warp.lanes)
      throw KernelFault("a shuffle runs although lanes of its warp have left the kernel");
    auto& slots = warp.slots[warp.generation % 2];
    std::memcpy(slots[current_->index % Warp::size].data(), &value, sizeof(T));
    sync_warp();
    T result;
    std::memcpy(&result, slots[source % Warp::size].data(), sizeof(T));
    return result;
  }
  const Lane& current() const { return *current_; }
  Dim block_index() const { return block_index_; }
  Dim block_size() const { return block_size_; }
  Dim grid_size() const { return grid_size_; }

 private:
  static Machine only_;

  Machine() = default;
  static void run_lane(void* machine);
  void run_block();
  bool run_warp(unsigned warp);
  bool runnable(const Lane& lane) const;
  void wait(Wait barrier, std::uint32_t generation);
  void leave();
  void cancel();

  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Warp> warps_;
  Lane* current_ = nullptr;
  const std::function<void()>* body_ = nullptr;
  Order order_ = Order::forward;
  Dim grid_size_, block_size_, block_index_;
  unsigned threads_ = 0, live_ = 0, arrived_ = 0;
  std::uint32_t generation_ = 0;
  int barrier_line_ = 0;
  bool cancelled_ = false;
  std::exception_ptr failure_;
};

}  // namespace warptune::simt
