// The scheduler: a warp runs until none of its lanes can go on, then the next one does.
#include "tests/simt/machine.hpp"

#include <algorithm>
#include <string>

namespace warptune::simt {
namespace {

struct Cancelled {};  // unwinds a lane that waits at a barrier of a launch that has failed

}  // namespace

Machine Machine::only_;

void Machine::launch(Dim grid, Dim block, Order order, const std::function<void()>& body) {
  grid_size_ = grid;
  block_size_ = block;
  order_ = order;
  body_ = &body;
  threads_ = block.x * block.y * block.z;
  if (threads_ == 0 || threads_ > 1024) throw KernelFault("a block holds 1 to 1024 threads");
  while (lanes_.size() < threads_)
    lanes_.push_back(std::make_unique<Lane>(static_cast<unsigned>(lanes_.size())));
  warps_.resize((threads_ + Warp::size - 1) / Warp::size);
  for (block_index_.z = 0; block_index_.z < grid.z; ++block_index_.z)
    for (block_index_.y = 0; block_index_.y < grid.y; ++block_index_.y)
      for (block_index_.x = 0; block_index_.x < grid.x; ++block_index_.x) run_block();
}

void Machine::run_block() {
  live_ = threads_;
  arrived_ = 0;
  cancelled_ = false;
  failure_ = nullptr;
  for (unsigned i = 0; i < warps_.size(); ++i) {
    warps_[i].lanes = warps_[i].live = std::min(Warp::size, threads_ - i * Warp::size);
    warps_[i].arrived = 0;
  }
  for (unsigned i = 0; i < threads_; ++i) {
    Lane& lane = *lanes_[i];
    lane.index = i;
    lane.thread = {i % block_size_.x, i / block_size_.x % block_size_.y, i / (block_size_.x * block_size_.y)};
    lane.waits = Wait::none;
    lane.fiber.start(&Machine::run_lane, this);
  }
  const auto warps = static_cast<unsigned>(warps_.size());
  while (live_ > 0 && !failure_) {
    bool moved = false;
    for (unsigned i = 0; i < warps; ++i) moved |= run_warp(order_ == Order::forward ? i : warps - 1 - i);
    if (moved || live_ == 0) continue;
    failure_ = std::make_exception_ptr(
        KernelFault("deadlock: of " + std::to_string(live_) + " threads " + std::to_string(arrived_) +
                    " wait at __syncthreads (line " + std::to_string(barrier_line_) +
                    "), the others at a warp's barrier or shuffle"));
  }
  if (failure_) {
    cancel();
    std::rethrow_exception(failure_);
  }
}

bool Machine::run_warp(unsigned warp) {
  const unsigned first = warp * Warp::size;
  const unsigned last = std::min(first + Warp::size, threads_) - 1;
  bool moved = false;
  for (bool again = true; again && !failure_;) {
    again = false;
    for (unsigned i = first; i <= last && !failure_; ++i) {
      Lane& lane = *lanes_[order_ == Order::forward ? i : first + last - i];
      if (!runnable(lane)) continue;
      current_ = &lane;
      lane.fiber.resume();
      moved = again = true;
    }
  }
  return moved;
}

bool Machine::runnable(const Lane& lane) const {
  if (lane.fiber.finished()) return false;
  if (lane.waits == Wait::warp) return lane.generation != warps_[lane.index / Warp::size].generation;
  if (lane.waits == Wait::block) return lane.generation != generation_;
  return true;
}

void Machine::run_lane(void* self) {
  auto& machine = *static_cast<Machine*>(self);
  try {
    if (!machine.cancelled_) (*machine.body_)();
  } catch (const Cancelled&) {
  } catch (...) {
    machine.failure_ = std::current_exception();
  }
  machine.leave();
}

// Lanes that have left no longer count at barriers, as on the GPU.
void Machine::leave() {
  Warp& warp = warps_[current_->index / Warp::size];
  --warp.live;
  --live_;
  if (warp.live > 0 && warp.arrived == warp.live) {
    warp.arrived = 0;
    ++warp.generation;
  }
  if (live_ > 0 && arrived_ == live_) {
    arrived_ = 0;
    ++generation_;
  }
}

void Machine::cancel() {
  cancelled_ = true;
  for (unsigned i = 0; i < threads_; ++i) {
    current_ = lanes_[i].get();
    while (!current_->fiber.finished()) current_->fiber.resume();
  }
}

void Machine::wait(Wait barrier, std::uint32_t generation) {
  current_->waits = barrier;
  current_->generation = generation;
  current_->fiber.suspend();
  if (cancelled_) throw Cancelled();
  current_->waits = Wait::none;
}

void Machine::sync_block(int line) {
  if (cancelled_) throw Cancelled();
  if (arrived_ == 0) barrier_line_ = line;
  if (line != barrier_line_)
    throw KernelFault("divergent barrier: threads of one block wait at __syncthreads in lines " +
                      std::to_string(barrier_line_) + " and " + std::to_string(line));
  const std::uint32_t generation = generation_;
  if (++arrived_ < live_) return wait(Wait::block, generation);
  arrived_ = 0;
  ++generation_;
}

void Machine::sync_warp() {
  if (cancelled_) throw Cancelled();
  Warp& warp = warps_[current_->index / Warp::size];
  const std::uint32_t generation = warp.generation;
  if (++warp.arrived < warp.live) return wait(Wait::warp, generation);
  warp.arrived = 0;
  ++warp.generation;
}

}  // namespace warptune::simt
