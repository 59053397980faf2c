// Contexts on stub devices: several in one process, each thread with one of them current or none. Members may be called from any
// number of threads; add() and destroy() before and after the threads that use them.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <warptune/runtime/contexts.hpp>

#include "tests/support/stub_device.hpp"

namespace warptune::testing {

class StubContexts final : public runtime::Contexts {
 public:
  // A context of a device of its own; from now on the device refuses work while another one is current, as the driver does.
  runtime::ContextId add(std::shared_ptr<StubDevice> device);
  // Makes it current on the calling thread; runtime::no_context: none.
  void make_current(runtime::ContextId id) const;
  // How often current() was asked, on all threads.
  std::size_t queries() const { return queries_; }

  runtime::ContextId current() const noexcept override;
  std::shared_ptr<runtime::Device> borrow() override;

 private:
  struct Context {
    runtime::ContextId id;
    std::shared_ptr<StubDevice> device;
  };
  std::vector<Context> contexts_;
  mutable std::atomic<std::size_t> queries_ = 0;
};

}  // namespace warptune::testing
