// The stub device: definitions, injected failures, memory.
#include "tests/support/stub_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace warptune::testing {

using runtime::DevicePointer;
using runtime::StreamHandle;

namespace {

// Codes as the driver gives them.
constexpr long invalid_value = 1;
constexpr long out_of_memory = 2;
constexpr long invalid_context = 201;

}  // namespace

spec::DeviceTraits stub_traits() {
  spec::DeviceTraits traits;
  traits.model = "Stub GPU";
  traits.compute_capability = 90;
  traits.sm_count = 4;
  traits.max_shared_bytes = 232448;
  traits.shared_bytes_per_sm = 233472;
  traits.reserved_shared_bytes = 1024;
  traits.l2_bytes = std::int64_t{1} << 16;
  traits.memory_bytes = std::int64_t{1} << 30;
  return traits;
}

StubDevice::StubDevice(spec::DeviceTraits traits)
    : memory_limit_(static_cast<std::size_t>(traits.memory_bytes)) {
  info_.traits = std::move(traits);
  info_.driver_version = 13000;
  info_.driver_name = "stub";
  info_.label = "stub:0";
  streams_[0] = {};  // the legacy stream
}

StubDevice::~StubDevice() {
  for (const auto& [address, bytes] : allocations_) std::free(reinterpret_cast<void*>(address));
}

void StubDevice::define_raw(const std::string& name, std::vector<std::size_t> sizes, RawBody body) {
  const std::lock_guard lock(mutex_);
  definitions_[name] = std::make_shared<const Definition>(Definition{std::move(sizes), std::move(body)});
}

void StubDevice::set_cost(const std::string& name, Cost cost_ns) {
  const std::lock_guard lock(mutex_);
  costs_[name] = std::move(cost_ns);
}

void StubDevice::fail_kernels(const std::string& part, Error error, When when) {
  const std::lock_guard lock(mutex_);
  kernel_failures_.push_back({part, std::move(error), when});
}

void StubDevice::fail_launch(int nth, Error error) {
  const std::lock_guard lock(mutex_);
  launch_failures_.emplace(launches_ + static_cast<std::size_t>(nth), std::move(error));
}

void StubDevice::set_memory_limit(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  memory_limit_ = bytes;
}

void StubDevice::recover() {
  const std::lock_guard lock(mutex_);
  pending_.reset();
  lost_.reset();
}

std::map<std::string, std::size_t> StubDevice::launches_by_name() const {
  const std::lock_guard lock(mutex_);
  return by_name_;
}

std::size_t StubDevice::live_allocations() const {
  const std::lock_guard lock(mutex_);
  return allocations_.size();
}

std::size_t StubDevice::live_bytes() const {
  const std::lock_guard lock(mutex_);
  return live_bytes_;
}

std::vector<std::string> StubDevice::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

void StubDevice::require_healthy() const {
  if (lost_) throw *lost_;
}

void StubDevice::require_usable() const {
  if (!usable_()) throw Error(ErrorKind::cuda, "another context is current", {}, invalid_context);
}

void StubDevice::raise(const Error& error) {
  if (runtime::context_is_lost(error)) lost_ = error;
  throw Error(error);
}

void StubDevice::throw_pending() {
  if (!pending_) return;
  const Error error = *pending_;
  pending_.reset();
  raise(error);
}

void StubDevice::inject_failures(const Function& function) {
  const auto counted = launch_failures_.find(launches_);
  if (counted != launch_failures_.end()) {
    const Error error = counted->second;
    launch_failures_.erase(counted);
    raise(error);
  }
  for (const auto& failure : kernel_failures_) {
    if (function.name.find(failure.part) == std::string::npos) continue;
    if (failure.when == When::launch) raise(failure.error);
    pending_ = failure.error;
  }
}

DevicePointer StubDevice::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  if (bytes > memory_limit_ - std::min(live_bytes_, memory_limit_)) {
    throw Error(ErrorKind::out_of_memory,
                "out of GPU memory: stub:0 cannot give " + std::to_string(bytes) + " bytes",
                "use smaller dims", out_of_memory);
  }
  void* memory = nullptr;
  if (::posix_memalign(&memory, 256, bytes > 0 ? bytes : 1) != 0) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  allocations_[address] = bytes;
  live_bytes_ += bytes;
  return address;
}

void StubDevice::release(DevicePointer pointer) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) {
    faults_.push_back("release of an address that is not allocated");
    return;
  }
  live_bytes_ -= found->second;
  allocations_.erase(found);
  std::free(reinterpret_cast<void*>(pointer));
}

std::size_t StubDevice::free_bytes() {
  const std::lock_guard lock(mutex_);
  require_healthy();
  return memory_limit_ - std::min(live_bytes_, memory_limit_);
}

void StubDevice::require_range(std::uint64_t address, std::size_t bytes, const char* call) const {
  auto after = allocations_.upper_bound(address);
  if (after != allocations_.begin()) {
    const auto& [start, size] = *--after;
    const std::uint64_t offset = address - start;
    if (offset <= size && bytes <= size - offset) return;
  }
  throw Error(ErrorKind::cuda,
              std::string(call) + ": " + std::to_string(bytes) + " bytes are not inside one live allocation",
              {}, invalid_value);
}

void StubDevice::copy_to_device(DevicePointer to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  require_healthy();
  throw_pending();
  require_range(to, bytes, "copy_to_device");
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
}

void StubDevice::copy_to_host(void* to, DevicePointer from, std::size_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  require_healthy();
  throw_pending();
  require_range(from, bytes, "copy_to_host");
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
}

void StubDevice::run_memory(StreamHandle stream, std::function<void()> operation) {
  const std::lock_guard lock(mutex_);
  require_healthy();
  require_usable();
  Stream& target = stream_of(stream);
  if (target.capturing) {
    Node node;
    node.memory = std::move(operation);
    target.nodes.push_back(std::move(node));
    return;
  }
  operation();
  now_ns_ += memory_operation_ns;
}

void StubDevice::copy_on_device(DevicePointer to, DevicePointer from, std::size_t bytes,
                                StreamHandle stream) {
  if (bytes == 0) return;
  run_memory(stream, [=, this] {
    require_range(to, bytes, "copy_on_device");
    require_range(from, bytes, "copy_on_device");
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  });
}

void StubDevice::fill(DevicePointer to, std::uint8_t byte, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  run_memory(stream, [=, this] {
    require_range(to, bytes, "fill");
    std::memset(reinterpret_cast<void*>(to), byte, bytes);
  });
}

}  // namespace warptune::testing
