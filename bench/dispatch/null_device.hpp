// A device without a GPU whose launch costs a call of the driver's signature and nothing else: what is left is the dispatcher.
// launch() and null_launch_kernel() may be called from any number of threads.
#pragma once

#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>

namespace bench {

namespace wt = warptune::runtime;

// Reads the arguments, as a driver must, and gives success.
int null_launch_kernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                       void** arguments, void** extra);

class NullModule final : public wt::LoadedModule {
 public:
  wt::FunctionHandle function(const std::string&) override { return wt::FunctionHandle{1}; }
  warptune::spec::KernelTraits traits(wt::FunctionHandle) override { return {32, 0, 0, 1024}; }
};

class NullDevice final : public wt::Device {
 public:
  NullDevice() {
    info_.traits.model = "no GPU";
    info_.traits.compute_capability = 90;
    info_.traits.sm_count = 132;
    info_.traits.memory_bytes = std::int64_t{1} << 40;
    info_.label = "none";
  }
  const wt::DeviceInfo& info() const override { return info_; }
  void make_current() override {}
  wt::DevicePointer allocate(std::size_t bytes) override {
    return reinterpret_cast<wt::DevicePointer>(std::aligned_alloc(256, (bytes + 256) / 256 * 256));
  }
  void release(wt::DevicePointer pointer) noexcept override { std::free(reinterpret_cast<void*>(pointer)); }
  std::size_t free_bytes() override { return std::size_t{1} << 40; }
  void copy_to_device(wt::DevicePointer, const void*, std::size_t) override {}
  void copy_to_host(void*, wt::DevicePointer, std::size_t) override {}
  void copy_on_device(wt::DevicePointer, wt::DevicePointer, std::size_t, wt::StreamHandle) override {}
  void fill(wt::DevicePointer, std::uint8_t, std::size_t, wt::StreamHandle) override {}
  std::unique_ptr<wt::LoadedModule> load(std::span<const std::byte>) override {
    return std::make_unique<NullModule>();
  }
  void allow_shared_bytes(wt::FunctionHandle, std::uint32_t) override {}
  wt::LaunchFunction launch_function() const noexcept override { return null_launch_kernel; }
  void launch(wt::FunctionHandle function, const wt::LaunchShape& shape, wt::StreamHandle stream,
              void** arguments) override {
    const int result =
        null_launch_kernel(reinterpret_cast<void*>(function), shape.grid.x, shape.grid.y, shape.grid.z,
                           shape.block.x, shape.block.y, shape.block.z, shape.shared_bytes,
                           reinterpret_cast<void*>(stream), arguments, nullptr);
    if (result != 0) throw warptune::Error(warptune::ErrorKind::cuda, "launch");
  }
  wt::StreamHandle create_stream() override { return wt::StreamHandle{++streams_}; }
  void destroy_stream(wt::StreamHandle) noexcept override {}
  void synchronize(wt::StreamHandle) override {}
  bool is_capturing(wt::StreamHandle) override { return false; }
  void begin_capture(wt::StreamHandle) override {}
  std::unique_ptr<wt::Graph> end_capture(wt::StreamHandle) override { return nullptr; }
  wt::EventHandle create_event() override { return {}; }
  void destroy_event(wt::EventHandle) noexcept override {}
  void record(wt::EventHandle, wt::StreamHandle) override {}
  double elapsed_ns(wt::EventHandle, wt::EventHandle) override { return 0; }

 private:
  wt::DeviceInfo info_;
  std::atomic<std::uintptr_t> streams_ = 100;
};

class NullCompiler final : public wt::Compiler {
 public:
  std::vector<wt::CompileResult> compile(const wt::CompileRequest& request) override {
    std::vector<wt::CompileResult> results;
    for (const std::string& entry : request.entries) {
      wt::CompileResult result;
      result.entry = entry;
      result.kernel = std::make_shared<const wt::CompiledKernel>(wt::CompiledKernel{
          entry, entry, std::make_shared<const std::vector<std::byte>>(1, std::byte{0}), {}});
      results.push_back(std::move(result));
    }
    return results;
  }
  std::string identity() const override { return "none"; }
  std::string version() const override { return "0"; }
  std::string headers_hash() const override { return "0"; }
  bool supports(const std::string&) const override { return true; }
};

}  // namespace bench
