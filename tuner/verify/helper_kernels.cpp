#include "tuner/verify/helper_kernels.hpp"

#include <algorithm>
#include <array>

#include <warptune/base/error.hpp>

#include "tuner/verify/helper_source.hpp"

namespace warptune::tuner {
namespace {

constexpr std::uint32_t threads = 256;
constexpr std::uint32_t blocks_per_sm =
    8;  // full occupancy at 256 threads; every kernel strides over its grid
constexpr std::array names = {"fill_elements", "compare_output", "audit",      "read_quads",
                              "stream_quads",  "write_quads",    "copy_quads", "begin_watch",
                              "wait_ns",       "end_watch",      "do_nothing"};

std::string qualified(const char* name) { return std::string("warptune::tuner::device::") + name; }

}  // namespace

HelperKernels::HelperKernels(runtime::Device& device, runtime::KernelBuilder& builder)
    : device_(device), modules_(device) {
  runtime::CompileRequest request;
  request.source = helper_kernels_source;
  request.program_name = "device_kernels.cu";
  request.headers.emplace("tuner/verify/device_layout.hpp", helper_layout_source);
  request.architecture = device.info().architecture();
  for (const char* name : names) request.entries.push_back(qualified(name));
  const std::vector<runtime::CompileResult> results = builder.build(request);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!results[i].kernel)
      throw Error(ErrorKind::internal,
                  "helper kernel " + std::string(names[i]) + " does not compile: " + results[i].error,
                  "check that NVRTC and its headers are of one CUDA release");
    functions_[names[i]] = modules_.function(*results[i].kernel);
  }
}

std::uint32_t HelperKernels::sm_count() const {
  return static_cast<std::uint32_t>(device_.info().traits.sm_count);
}

spec::Dim3 HelperKernels::grid_for(std::uint64_t items) const {
  const std::uint64_t most = std::uint64_t{blocks_per_sm} * sm_count();
  return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>((items + threads - 1) / threads, 1, most))};
}

void HelperKernels::fill(runtime::DevicePointer to, std::int64_t elements, const BufferFill& how,
                         runtime::StreamHandle stream) const {
  if (elements <= 0) return;
  auto count = static_cast<std::uint64_t>(elements);
  device::Filling values{how.element, how.fill, how.bound, how.seed, how.outside ? 1 : 0};
  std::array<void*, 3> arguments = {&to, &count, &values};
  device_.launch(function("fill_elements"), {grid_for(count), {threads}}, stream, arguments.data());
}

void HelperKernels::compare(const device::Comparison& comparison, runtime::DevicePointer report,
                            runtime::StreamHandle stream) const {
  device::Comparison values = comparison;
  std::array<void*, 2> arguments = {&values, &report};
  device_.launch(function("compare_output"), {grid_for(values.elements), {threads}}, stream,
                 arguments.data());
}

void HelperKernels::audit(const device::AuditList& ranges, const device::Comparison& comparison,
                          runtime::DevicePointer report, runtime::StreamHandle stream) const {
  device::AuditList list = ranges;
  device::Comparison values = comparison;
  std::uint64_t longest = 0;
  for (int i = 0; i < list.count; ++i) longest = std::max<std::uint64_t>(longest, list.ranges[i].bytes);
  std::array<void*, 3> arguments = {&list, &values, &report};
  device_.launch(function("audit"), {grid_for(longest / 8), {threads}}, stream, arguments.data());
}

void HelperKernels::read(runtime::DevicePointer from, std::size_t bytes, runtime::DevicePointer sink,
                         std::uint32_t read_blocks_per_sm, bool keep, runtime::StreamHandle stream) const {
  std::uint64_t quads = bytes / 16;
  std::array<void*, 3> arguments = {&from, &quads, &sink};
  device_.launch(function(keep ? "read_quads" : "stream_quads"),
                 {{read_blocks_per_sm * sm_count()}, {threads}}, stream, arguments.data());
}

void HelperKernels::write(runtime::DevicePointer to, std::size_t bytes, std::uint32_t write_blocks_per_sm,
                          runtime::StreamHandle stream) const {
  std::uint64_t quads = bytes / 16;
  std::array<void*, 2> arguments = {&to, &quads};
  device_.launch(function("write_quads"), {{write_blocks_per_sm * sm_count()}, {threads}}, stream,
                 arguments.data());
}

void HelperKernels::copy(runtime::DevicePointer from, runtime::DevicePointer to, std::size_t bytes,
                         std::uint32_t copy_blocks_per_sm, runtime::StreamHandle stream) const {
  std::uint64_t quads = bytes / 16;
  std::array<void*, 3> arguments = {&from, &to, &quads};
  device_.launch(function("copy_quads"), {{copy_blocks_per_sm * sm_count()}, {threads}}, stream,
                 arguments.data());
}

void HelperKernels::wait(std::uint64_t duration_ns, runtime::StreamHandle stream,
                         runtime::DevicePointer watch) const {
  std::array<void*, 2> arguments = {&duration_ns, &watch};
  device_.launch(function("wait_ns"), {{1}, {1}}, stream, arguments.data());
}

void HelperKernels::begin_watch(runtime::DevicePointer watch, runtime::StreamHandle stream) const {
  std::array<void*, 1> arguments = {&watch};
  device_.launch(function("begin_watch"), {{1}, {1}}, stream, arguments.data());
}

void HelperKernels::end_watch(runtime::DevicePointer watch, runtime::StreamHandle stream) const {
  std::array<void*, 1> arguments = {&watch};
  device_.launch(function("end_watch"), {{sm_count()}, {1}}, stream, arguments.data());
}

void HelperKernels::do_nothing(runtime::StreamHandle stream) const {
  device_.launch(function("do_nothing"), {{1}, {1}}, stream, nullptr);
}

}  // namespace warptune::tuner
