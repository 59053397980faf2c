// The helper kernels on a real GPU against the same source run on the host.
#include <bit>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/gpu/gpu_fixture.hpp"
#include "tests/support/stub_compiler.hpp"
#include "tests/support/stub_device.hpp"
#include "tests/tuner/support/host_helper_kernels.hpp"

namespace warptune::tuner {
namespace {

using device::Element;
using device::Fill;

class GpuVerify : public test::GpuFixture {
 protected:
  static std::vector<unsigned char> filled(runtime::Device& device, const HelperKernels& helpers,
                                           std::int64_t elements, std::size_t bytes, const BufferFill& how,
                                           runtime::StreamHandle stream) {
    const runtime::DeviceBuffer memory(device, bytes);
    helpers.fill(memory.get(), elements, how, stream);
    device.synchronize(stream);
    std::vector<unsigned char> result(bytes);
    device.copy_to_host(result.data(), memory.get(), bytes);
    return result;
  }
};

TEST_F(GpuVerify, FillsAreTheSameBitsAsOnTheHost) {
  testing::StubDevice host;
  test::define_helper_kernels(host);
  runtime::KernelBuilder host_builder(std::make_shared<testing::StubCompiler>(),
                                      runtime::BuilderOptions{{}, 1});
  const HelperKernels host_helpers(host, host_builder);
  constexpr std::int64_t elements = 100'003;
  const std::vector<std::pair<Element, std::size_t>> types = {{Element::f16, 2}, {Element::bf16, 2},
                                                              {Element::f32, 4}, {Element::f64, 8},
                                                              {Element::i32, 4}, {Element::i64, 8}};
  for (const auto& [element, size] : types) {
    for (int fill = 0; fill <= static_cast<int>(Fill::index_equal); ++fill) {
      const BufferFill how{element, static_cast<Fill>(fill), 1000, 42, fill % 2 == 0};
      const std::size_t bytes = static_cast<std::size_t>(elements) * size;
      EXPECT_EQ(filled(*device_, *helpers_, elements, bytes, how, stream_->get()),
                filled(host, host_helpers, elements, bytes, how, runtime::StreamHandle{0}))
          << "element " << static_cast<int>(element) << " fill " << fill;
    }
  }
}

TEST_F(GpuVerify, CompareFindsOneWrongElementAmongMillions) {
  constexpr std::size_t elements = 3'000'017;
  const runtime::DeviceBuffer output(*device_, elements * sizeof(float));
  const runtime::DeviceBuffer reference(*device_, elements * sizeof(double)),
      scale(*device_, elements * sizeof(double));
  const runtime::DeviceBuffer report(*device_, sizeof(device::Report));
  const auto count = static_cast<std::int64_t>(elements);
  helpers_->fill(output.get(), count, {Element::f32, Fill::whole, 0, 5}, stream_->get());
  helpers_->fill(reference.get(), count, {Element::f64, Fill::whole, 0, 5}, stream_->get());
  helpers_->fill(scale.get(), count, {Element::f64, Fill::one, 0, 5}, stream_->get());
  const device::Comparison comparison{
      output.get(), reference.get(), scale.get(), elements, 0, Element::f32, 0};
  const auto run = [&] {
    device_->fill(report.get(), 0, report.bytes(), stream_->get());
    helpers_->compare(comparison, report.get(), stream_->get());
    helpers_->audit({}, comparison, report.get(), stream_->get());
    device_->synchronize(stream_->get());
    device::Report result;
    device_->copy_to_host(&result, report.get(), sizeof(result));
    return result;
  };
  EXPECT_EQ(run().wrong, 0u);
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{1'234'567}, elements - 1}) {
    float right = 0;
    device_->copy_to_host(&right, output.get() + 4 * wrong, 4);
    const float other = right + 16;
    device_->copy_to_device(output.get() + 4 * wrong, &other, 4);
    const device::Report found = run();
    EXPECT_EQ(found.wrong, 1u);
    EXPECT_EQ(~found.first_inverse, wrong);
    EXPECT_EQ(found.got, other);
    EXPECT_EQ(found.expected, right);
    EXPECT_EQ(std::bit_cast<double>(found.max_error_bits), 16.0);
    device_->copy_to_device(output.get() + 4 * wrong, &right, 4);
  }
}

TEST_F(GpuVerify, AuditSeesOneByteAnywhere) {
  constexpr std::size_t bytes = 1'000'003;
  const runtime::DeviceBuffer memory(*device_, bytes), report(*device_, sizeof(device::Report));
  device_->fill(memory.get(), 0xff, bytes, stream_->get());
  const auto run = [&](device::Expect expect) {
    device::AuditList list{};
    list.ranges[list.count++] = {memory.get() + 3, bytes - 3, expect, 5};
    device_->fill(report.get(), 0, report.bytes(), stream_->get());
    helpers_->audit(list, {}, report.get(), stream_->get());
    device_->synchronize(stream_->get());
    device::Report result;
    device_->copy_to_host(&result, report.get(), sizeof(result));
    return result;
  };
  EXPECT_EQ(run(device::Expect::all_ones).damaged, 0u);
  const auto untouched = run(device::Expect::checksum).sums[5];
  EXPECT_EQ(run(device::Expect::checksum).sums[5], untouched);  // whatever the order of its atomics
  for (const std::size_t position : {std::size_t{3}, std::size_t{500'000}, bytes - 1}) {
    device_->fill(memory.get() + position, 0x7f, 1, stream_->get());
    const device::Report found = run(device::Expect::all_ones);
    EXPECT_EQ(found.damaged, 1u);
    EXPECT_EQ(~found.damaged_inverse, 5u);
    EXPECT_NE(run(device::Expect::checksum).sums[5], untouched);
    device_->fill(memory.get() + position, 0xff, 1, stream_->get());
  }
}

}  // namespace
}  // namespace warptune::tuner
