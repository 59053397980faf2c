#include <warptune/runtime/capture_scope.hpp>

#include "runtime/dispatch/kernel_state.hpp"
#include "runtime/dispatch/runtime_state.hpp"

namespace warptune::runtime {

struct CaptureScope::Impl {
  std::shared_ptr<ContextState> context;  // keeps the device alive
  StreamHandle stream;
  ScratchPool::Loan loan;

  ~Impl() {
    const std::scoped_lock lock(context->device().mutex);
    loan.buffers.clear();
  }
};

CaptureScope::CaptureScope(const Runtime& runtime, StreamHandle stream)
    : impl_(new Impl{{runtime.state_, &runtime.state_->here()}, stream, {}}) {
  if (!impl_->context->scratch().lend(stream, impl_->loan))
    throw Error(ErrorKind::usage, "this thread has a capture scope open on the stream",
                "end() that one first");
}

CaptureScope::CaptureScope(CaptureScope&&) noexcept = default;

CaptureScope& CaptureScope::operator=(CaptureScope&& other) noexcept {
  if (this == &other) return *this;
  end();
  impl_ = std::move(other.impl_);
  return *this;
}

CaptureScope::~CaptureScope() { end(); }

void CaptureScope::prepare(const Kernel& kernel, std::span<const std::int64_t> dims,
                           std::int64_t alignment_bytes) {
  if (impl_ == nullptr || impl_->loan.entry == nullptr)
    throw Error(ErrorKind::usage, "the capture scope was ended", "prepare before end()");
  if (&kernel.state_->context() != impl_->context.get())
    throw Error(ErrorKind::usage,
                kernel.name() + " is a kernel of another runtime or context than the capture scope",
                "make the scope with the runtime that gave the kernel, in the same context");
  kernel.state_->prepare_in_scope(impl_->stream, dims, alignment_bytes);
}

void CaptureScope::end() noexcept {
  if (impl_ != nullptr) ScratchPool::take_back(impl_->loan);
}

}  // namespace warptune::runtime
