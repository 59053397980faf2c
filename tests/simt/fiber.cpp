// Stack switches by Boost.Context, each between the two calls by which AddressSanitizer follows them.
#include "tests/simt/fiber.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define WARPTUNE_SIMT_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPTUNE_SIMT_ASAN
#endif
#endif
#if defined(WARPTUNE_SIMT_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

namespace warptune::simt {
namespace {

constexpr std::size_t guard_bytes = 4096;

// Hands Boost the stack that the fiber owns.
struct OwnedStack {
  std::byte* base;
  std::size_t bytes;
  boost::context::stack_context allocate() const {
    boost::context::stack_context context;
    context.size = bytes;
    context.sp = base + bytes;
    return context;
  }
  void deallocate(boost::context::stack_context&) const {}
};

// shadow: where the sanitizer keeps what belongs to the stack being left; null when it is left for good.
void announce_switch([[maybe_unused]] void** shadow, [[maybe_unused]] const void* stack,
                     [[maybe_unused]] std::size_t bytes) {
#if defined(WARPTUNE_SIMT_ASAN)
  __sanitizer_start_switch_fiber(shadow, stack, bytes);
#endif
}

void complete_switch([[maybe_unused]] void* shadow, [[maybe_unused]] const void** left_stack,
                     [[maybe_unused]] std::size_t* left_bytes) {
#if defined(WARPTUNE_SIMT_ASAN)
  __sanitizer_finish_switch_fiber(shadow, left_stack, left_bytes);
#endif
}

}  // namespace

Fiber::Fiber(unsigned colour) {
  void* mapping =
      mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  mprotect(mapping_, guard_bytes, PROT_NONE);
  stack_ = mapping_ + guard_bytes;
  usable_bytes_ = stack_bytes - colour * 5 % 64 * 64;
}

Fiber::~Fiber() { munmap(mapping_, guard_bytes + stack_bytes); }

void Fiber::start(void (*body)(void*), void* argument) {
  body_ = body;
  argument_ = argument;
  continuation_ =
      boost::context::fiber(std::allocator_arg, OwnedStack{stack_, usable_bytes_},
                            [this](boost::context::fiber&& resumer) { return run(std::move(resumer)); });
}

boost::context::fiber Fiber::run(boost::context::fiber&& resumer) {
  complete_switch(nullptr, &resumer_stack_, &resumer_stack_bytes_);
  resumer_ = std::move(resumer);
  body_(argument_);
  announce_switch(nullptr, resumer_stack_, resumer_stack_bytes_);
  return std::move(resumer_);
}

void Fiber::resume() {
  announce_switch(&resumer_shadow_, stack_, usable_bytes_);
  continuation_ = std::move(continuation_).resume();
  complete_switch(resumer_shadow_, nullptr, nullptr);
}

void Fiber::suspend() {
  announce_switch(&own_shadow_, resumer_stack_, resumer_stack_bytes_);
  resumer_ = std::move(resumer_).resume();
  complete_switch(own_shadow_, &resumer_stack_, &resumer_stack_bytes_);
}

}  // namespace warptune::simt
