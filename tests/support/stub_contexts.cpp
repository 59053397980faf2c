#include "tests/support/stub_contexts.hpp"

#include <utility>

namespace warptune::testing {
namespace {

thread_local runtime::ContextId current_here = runtime::no_context;
std::atomic<std::uint64_t> given = 0;  // in the process, as ids are never given twice

}  // namespace

runtime::ContextId StubContexts::add(std::shared_ptr<StubDevice> device) {
  const runtime::ContextId id{++given};
  device->set_usable([id] { return current_here == id; });
  contexts_.push_back({id, std::move(device)});
  return id;
}

void StubContexts::make_current(runtime::ContextId id) const { current_here = id; }

runtime::ContextId StubContexts::current() const noexcept {
  ++queries_;
  return current_here;
}

std::shared_ptr<runtime::Device> StubContexts::borrow() {
  for (const Context& context : contexts_)
    if (context.id == current_here) return context.device;
  throw Error(ErrorKind::no_device, "no context is current on this thread");
}

}  // namespace warptune::testing
