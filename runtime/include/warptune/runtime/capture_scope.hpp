// Memory of a stream capture of one's own, so that graphs captured on one stream may be replayed at once. docs/runtime.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <warptune/runtime/runtime.hpp>

namespace warptune::runtime {

// From its making until end(), launches of the making thread on `stream` take workspaces and counters from the scope instead of
// from the stream. What is captured meanwhile belongs to the scope: keep it until that graph is gone, and replay one graph of
// a scope at a time. Graphs of different scopes share nothing. Made before the capture begins or while it goes on. Made, used
// and ended on one thread; destroyed on any once it was ended.
class CaptureScope {
 public:
  // Error usage: this thread has a scope open on the stream.
  CaptureScope(const Runtime& runtime, StreamHandle stream);
  CaptureScope(CaptureScope&&) noexcept;
  CaptureScope& operator=(CaptureScope&&) noexcept;
  ~CaptureScope();  // ends it, and frees its memory

  // All that Kernel::launch() does before launching, for pointers aligned so. It may compile, load and allocate, while the
  // stream is being captured too: none of that becomes part of the graph, but that counters are set to zero. Errors: as
  // Kernel::launch(); usage: a kernel of another runtime, or the scope was ended.
  void prepare(const Kernel& kernel, std::span<const std::int64_t> dims,
               std::int64_t alignment_bytes = usual_alignment_bytes);
  // Launches take the stream's memory again.
  void end() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptune::runtime
