// A resumable function on a stack of its own, announced to AddressSanitizer where that is built in.
// A fiber and whoever resumes it belong to one OS thread.
#pragma once

#include <cstddef>

#include <boost/context/fiber.hpp>

namespace warptune::simt {

class Fiber {
 public:
  static constexpr std::size_t stack_bytes = 64 * 1024;

  // Maps the stack, an unmapped page below it. std::bad_alloc when there is no memory. Fibers that run in
  // turn should differ in `colour`: it shifts the stack by cache lines, so that their hot ends do not push
  // each other out of the cache.
  explicit Fiber(unsigned colour = 0);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Prepares body(argument) to run at the next resume. Preconditions: finished(); body throws nothing.
  void start(void (*body)(void*), void* argument);
  // Runs the body until it suspends or ends. Precondition: !finished().
  void resume();
  // Back to whoever resumed. Precondition: called by the body itself.
  void suspend();
  bool finished() const { return !continuation_; }

 private:
  boost::context::fiber run(boost::context::fiber&& resumer);

  std::byte* mapping_ = nullptr;
  std::byte* stack_ = nullptr;
  std::size_t usable_bytes_ = 0;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  boost::context::fiber continuation_;  // the body, while it is suspended
  boost::context::fiber resumer_;       // whoever resumed, while the body runs
  // The sanitizer's handles for the two stacks.
  void* own_shadow_ = nullptr;
  void* resumer_shadow_ = nullptr;
  const void* resumer_stack_ = nullptr;
  std::size_t resumer_stack_bytes_ = 0;
};

}  // namespace warptune::simt
