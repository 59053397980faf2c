// The stub device: loading, launching, streams, capture, events.
#include <sstream>

#include "tests/support/stub_device.hpp"

namespace warptune::testing {

using runtime::Dim3;
using runtime::EventHandle;
using runtime::FunctionHandle;
using runtime::StreamHandle;

namespace {

constexpr std::string_view image_head = "stub-image\n";
constexpr double default_launch_ns = 1000;

// Codes as the driver gives them.
constexpr long invalid_value = 1;
constexpr long invalid_image = 200;
constexpr long invalid_handle = 400;
constexpr long not_found = 500;
constexpr long capture_unsupported = 900;
constexpr long capture_invalidated = 901;
constexpr long capture_unmatched = 903;

std::string_view base_name(std::string_view name) { return name.substr(0, name.find('<')); }

[[noreturn]] void fail(const std::string& message, long code = invalid_value) {
  throw Error(ErrorKind::cuda, message, {}, code);
}

}  // namespace

std::vector<std::string> template_arguments(std::string_view name) {
  const auto open = name.find('<');
  const auto close = name.rfind('>');
  std::vector<std::string> arguments;
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return arguments;
  std::istringstream list{std::string(name.substr(open + 1, close - open - 1))};
  for (std::string argument; std::getline(list, argument, ',');) {
    const auto from = argument.find_first_not_of(' ');
    const auto to = argument.find_last_not_of(' ');
    arguments.push_back(from == std::string::npos ? std::string() : argument.substr(from, to - from + 1));
  }
  return arguments;
}

std::vector<std::byte> stub_image(const std::vector<std::string>& names) {
  std::string text(image_head);
  for (const auto& name : names) text += name + "\n";
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

class StubDevice::Module final : public runtime::LoadedModule {
 public:
  Module(StubDevice& device, std::vector<std::string> names) : device_(device), names_(std::move(names)) {}
  FunctionHandle function(const std::string& name) override {
    for (const auto& held : names_) {
      if (held == name) return device_.function(name);
    }
    throw Error(ErrorKind::not_found, "the loaded image has no kernel " + name, {}, not_found);
  }
  std::optional<std::vector<std::size_t>> parameter_bytes(const std::string& name) override {
    const std::lock_guard lock(device_.mutex_);
    const Definition* const definition = device_.definition_of(name);
    return definition == nullptr ? std::nullopt : std::optional(definition->sizes);
  }
  spec::KernelTraits traits(FunctionHandle) override { return {32, 0, 0, 1024}; }

 private:
  StubDevice& device_;
  std::vector<std::string> names_;
};

class StubDevice::StubGraph final : public runtime::Graph {
 public:
  StubGraph(StubDevice& device, std::vector<Node> nodes) : device_(device), nodes_(std::move(nodes)) {}
  void launch(StreamHandle) override { device_.replay(nodes_); }

 private:
  StubDevice& device_;
  std::vector<Node> nodes_;
};

std::unique_ptr<runtime::LoadedModule> StubDevice::load(std::span<const std::byte> image) {
  {
    const std::lock_guard lock(mutex_);
    require_healthy();
  }
  const std::string text(reinterpret_cast<const char*>(image.data()), image.size());
  if (text.rfind(image_head, 0) != 0) fail("load: not a stub image", invalid_image);
  std::istringstream lines(text.substr(image_head.size()));
  std::vector<std::string> names;
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  ++loads_;
  return std::make_unique<Module>(*this, std::move(names));
}

const StubDevice::Definition* StubDevice::definition_of(std::string_view name) const {
  auto found = definitions_.find(name);
  if (found == definitions_.end()) found = definitions_.find(base_name(name));
  return found == definitions_.end() ? nullptr : found->second.get();
}

FunctionHandle StubDevice::function(const std::string& name) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  if (definition_of(name) == nullptr) {
    throw Error(ErrorKind::internal, "the stub device has no body for kernel " + name,
                "call define() in the test");
  }
  auto& handle = handles_[name];
  if (handle == 0) {
    handle = next_handle_++;
    functions_[handle] = std::make_unique<Function>(Function{name});
  }
  return FunctionHandle{handle};
}

StubDevice::Function& StubDevice::function_of(FunctionHandle handle) {
  const auto found = functions_.find(static_cast<std::uintptr_t>(handle));
  if (found == functions_.end()) fail("not a function of this device", invalid_handle);
  return *found->second;
}

void StubDevice::allow_shared_bytes(FunctionHandle function, std::uint32_t bytes) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  if (bytes > static_cast<std::uint64_t>(info_.traits.max_shared_bytes))
    fail("allow_shared_bytes: beyond the device");
  function_of(function).allowed_shared_bytes = bytes;
}

void StubDevice::require_launchable(const Function& function, Dim3 grid, Dim3 block,
                                    std::uint32_t shared_bytes) const {
  const auto& limits = info_.traits;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > limits.max_grid_x || grid.y > limits.max_grid_y ||
      grid.z > limits.max_grid_z) {
    fail("launch of " + function.name + ": grid outside the device's limits");
  }
  if (threads == 0 || threads > static_cast<std::uint64_t>(limits.max_threads_per_block)) {
    fail("launch of " + function.name + ": block outside the device's limits");
  }
  if (shared_bytes > function.allowed_shared_bytes) {
    fail("launch of " + function.name + ": more dynamic shared memory than allowed");
  }
}

void StubDevice::run_kernel(Function& function, Dim3 grid, Dim3 block, std::uint32_t shared_bytes,
                            void** arguments, bool run_body) {
  const StubLaunch launch{function.name, grid, block, shared_bytes};
  const Definition* definition = nullptr;
  {
    const std::lock_guard lock(mutex_);
    require_healthy();
    require_launchable(function, grid, block, shared_bytes);
    ++launches_;
    if (count_by_name_) ++by_name_[function.name];
    inject_failures(function);
    auto cost = costs_.find(function.name);
    if (cost == costs_.end()) cost = costs_.find(base_name(function.name));
    now_ns_ += cost == costs_.end() ? default_launch_ns : cost->second(launch);
    if (!pending_) definition = definition_of(function.name);
  }
  if (run_body && definition != nullptr) definition->body(launch, arguments);
}

void StubDevice::launch(FunctionHandle function, const runtime::LaunchShape& shape, StreamHandle stream,
                        void** arguments) {
  const auto& [grid, block, shared_bytes, programmatic] = shape;
  if (programmatic) ++programmatic_launches_;
  Function* kernel = nullptr;
  {
    const std::lock_guard lock(mutex_);
    require_healthy();
    require_usable();
    kernel = &function_of(function);
    Stream& target = stream_of(stream);
    if (target.capturing) {
      require_launchable(*kernel, grid, block, shared_bytes);
      Node node{kernel, {}, grid, block, shared_bytes, {}};
      const auto& sizes = definition_of(kernel->name)->sizes;
      for (std::size_t index = 0; index < sizes.size(); ++index) {
        const auto* value = static_cast<const std::byte*>(arguments[index]);
        node.arguments.emplace_back(value, value + sizes[index]);
      }
      target.nodes.push_back(std::move(node));
      return;
    }
  }
  run_kernel(*kernel, grid, block, shared_bytes, arguments, true);
}

void StubDevice::replay(const std::vector<Node>& nodes) {
  for (const auto& node : nodes) {
    if (node.function == nullptr) {
      const std::lock_guard lock(mutex_);
      require_healthy();
      node.memory();
      now_ns_ += memory_operation_ns;
      continue;
    }
    std::vector<void*> arguments;
    for (const auto& value : node.arguments) arguments.push_back(const_cast<std::byte*>(value.data()));
    run_kernel(*node.function, node.grid, node.block, node.shared_bytes, arguments.data(),
               run_bodies_in_graphs_);
  }
}

// ---- streams, capture, time

StubDevice::Stream& StubDevice::stream_of(StreamHandle handle) {
  const auto found = streams_.find(static_cast<std::uintptr_t>(handle));
  if (found == streams_.end()) fail("not a live stream of this device", invalid_handle);
  return found->second;
}

StreamHandle StubDevice::create_stream() {
  const std::lock_guard lock(mutex_);
  require_healthy();
  streams_[next_handle_] = {};
  return StreamHandle{next_handle_++};
}

void StubDevice::destroy_stream(StreamHandle stream) noexcept {
  const std::lock_guard lock(mutex_);
  if (stream == StreamHandle{0} || streams_.erase(static_cast<std::uintptr_t>(stream)) == 0) {
    faults_.push_back("destruction of a stream that does not live");
  }
}

void StubDevice::synchronize(StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  Stream& target = stream_of(stream);
  if (target.capturing) {
    target.invalidated = true;
    throw Error(ErrorKind::capture, "synchronize: not allowed while the stream is being captured", {},
                capture_unsupported);
  }
  throw_pending();
}

bool StubDevice::is_capturing(StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  return stream_of(stream).capturing;
}

void StubDevice::begin_capture(StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  Stream& target = stream_of(stream);
  if (stream == StreamHandle{0} || target.capturing) {
    throw Error(ErrorKind::capture, "begin_capture: the legacy stream, or one that is captured already", {},
                capture_unsupported);
  }
  target = {true, false, {}};
}

std::unique_ptr<runtime::Graph> StubDevice::end_capture(StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  Stream& target = stream_of(stream);
  if (!target.capturing) throw Error(ErrorKind::capture, "end_capture: not captured", {}, capture_unmatched);
  Stream captured = std::exchange(target, {});
  if (captured.invalidated)
    throw Error(ErrorKind::capture, "end_capture: invalidated", {}, capture_invalidated);
  return std::make_unique<StubGraph>(*this, std::move(captured.nodes));
}

EventHandle StubDevice::create_event() {
  const std::lock_guard lock(mutex_);
  require_healthy();
  events_[next_handle_] = std::nullopt;
  return EventHandle{next_handle_++};
}

void StubDevice::destroy_event(EventHandle event) noexcept {
  const std::lock_guard lock(mutex_);
  if (events_.erase(static_cast<std::uintptr_t>(event)) == 0) {
    faults_.push_back("destruction of an event that does not live");
  }
}

void StubDevice::record(EventHandle event, StreamHandle stream) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  if (stream_of(stream).capturing) {
    throw Error(ErrorKind::capture, "record: the stub does not capture events", {}, capture_unsupported);
  }
  const auto found = events_.find(static_cast<std::uintptr_t>(event));
  if (found == events_.end()) fail("not a live event of this device", invalid_handle);
  found->second = now_ns_;
}

double StubDevice::elapsed_ns(EventHandle from, EventHandle to) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  throw_pending();
  const auto start = events_.find(static_cast<std::uintptr_t>(from));
  const auto end = events_.find(static_cast<std::uintptr_t>(to));
  if (start == events_.end() || end == events_.end() || !start->second || !end->second) {
    fail("elapsed_ns: an event that was not recorded", invalid_handle);
  }
  return *end->second - *start->second;
}

}  // namespace warptune::testing
