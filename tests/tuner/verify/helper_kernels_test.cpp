// The helper kernels on the host: values of fills, comparison, audit. On a device: tests/gpu/verify_test.cpp.
#include "tuner/verify/helper_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <warptune/base/error.hpp>

#include "tests/support/stub_compiler.hpp"
#include "tests/support/stub_device.hpp"
#include "tests/tuner/support/host_helper_kernels.hpp"

namespace warptune::tuner {
namespace {

using device::Element;
using device::Fill;

constexpr runtime::StreamHandle stream{0};

class HelperKernelsTest : public ::testing::Test {
 protected:
  HelperKernelsTest() {
    test::define_helper_kernels(device_);
    builder_ = std::make_unique<runtime::KernelBuilder>(std::make_shared<testing::StubCompiler>(),
                                                        runtime::BuilderOptions{{}, 1});
    helpers_ = std::make_unique<HelperKernels>(device_, *builder_);
  }

  template <typename Word>
  std::vector<Word> filled(Element element, Fill fill, std::size_t count, std::uint64_t seed = 7,
                           std::uint64_t bound = 0) {
    std::vector<Word> words(count);
    const runtime::DeviceBuffer memory(device_, count * sizeof(Word));
    helpers_->fill(memory.get(), static_cast<std::int64_t>(count), {element, fill, bound, seed}, stream);
    device_.copy_to_host(words.data(), memory.get(), count * sizeof(Word));
    return words;
  }

  // Compares `got` with `expected` at scale 1 each.
  device::Report compared(const std::vector<float>& got, const std::vector<double>& expected,
                          double tolerance) {
    const std::vector<double> ones(got.size(), 1.0);
    const runtime::DeviceBuffer output(device_, got.size() * sizeof(float));
    const runtime::DeviceBuffer reference(device_, got.size() * sizeof(double));
    const runtime::DeviceBuffer scale(device_, got.size() * sizeof(double));
    const runtime::DeviceBuffer report(device_, sizeof(device::Report));
    device_.copy_to_device(output.get(), got.data(), output.bytes());
    device_.copy_to_device(reference.get(), expected.data(), reference.bytes());
    device_.copy_to_device(scale.get(), ones.data(), scale.bytes());
    device_.fill(report.get(), 0, report.bytes(), stream);
    const device::Comparison comparison{
        output.get(), reference.get(), scale.get(), got.size(), tolerance, Element::f32, 0};
    helpers_->compare(comparison, report.get(), stream);
    helpers_->audit({}, comparison, report.get(), stream);
    device::Report result;
    device_.copy_to_host(&result, report.get(), sizeof(result));
    return result;
  }

  device::Report audited(const std::vector<unsigned char>& bytes, device::Expect expect,
                         std::size_t offset = 0) {
    const runtime::DeviceBuffer memory(device_, bytes.size());
    const runtime::DeviceBuffer report(device_, sizeof(device::Report));
    device_.copy_to_device(memory.get(), bytes.data(), bytes.size());
    device_.fill(report.get(), 0, report.bytes(), stream);
    device::AuditList list{};
    list.ranges[list.count++] = {memory.get() + offset, bytes.size() - offset, expect, 3};
    helpers_->audit(list, {}, report.get(), stream);
    device::Report result;
    device_.copy_to_host(&result, report.get(), sizeof(result));
    return result;
  }

  testing::StubDevice device_;
  std::unique_ptr<runtime::KernelBuilder> builder_;
  std::unique_ptr<HelperKernels> helpers_;
};

TEST_F(HelperKernelsTest, NormalHasMeanZeroAndDeviationOne) {
  const std::vector<float> values = filled<float>(Element::f32, Fill::normal, 40'000);
  double sum = 0, squares = 0;
  for (const float value : values) {
    sum += value;
    squares += double{value} * value;
  }
  const double count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0, 0.02);  // four standard errors
  EXPECT_NEAR(squares / count, 1, 0.03);
}

TEST_F(HelperKernelsTest, WholeNumbersAreSmallNeverZeroAndOfBothSigns) {
  std::map<float, int> seen;
  for (const float value : filled<float>(Element::f32, Fill::whole, 14'000)) ++seen[value];
  ASSERT_EQ(seen.size(), 14u);  // -7..-1, 1..7
  for (const auto& [value, count] : seen) {
    EXPECT_EQ(value, std::round(value));
    EXPECT_NE(value, 0);
    EXPECT_LE(std::abs(value), 7);
    EXPECT_NEAR(count, 1000, 150) << value;
  }
}

TEST_F(HelperKernelsTest, LargeProductsOverflowHalfButNotFloat) {
  for (const std::uint16_t bits : filled<std::uint16_t>(Element::f16, Fill::large, 1000)) {
    const int exponent =
        (bits >> 10 & 31) - 15;  // value in [2^9, 2^10], so products are at least 2^18 > 65504
    EXPECT_TRUE(exponent == 9 || (exponent == 10 && (bits & 0x3ff) == 0)) << bits;
  }
  for (const float value : filled<float>(Element::f32, Fill::large, 1000)) {
    EXPECT_GE(std::abs(value), std::ldexp(1.0f, 40));
    EXPECT_LE(std::abs(value), std::ldexp(1.0f, 41));
  }
}

TEST_F(HelperKernelsTest, IndexStaysBelowItsBoundAndReachesIt) {
  std::set<int> seen;
  for (const int id : filled<int>(Element::i32, Fill::index, 2000, 7, 50)) seen.insert(id);
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 49);
  for (const long long id : filled<long long>(Element::i64, Fill::index, 10, 7, 0)) EXPECT_EQ(id, 0);
}

TEST_F(HelperKernelsTest, BitsCoverEveryPattern) {
  std::set<unsigned> bytes;
  for (const unsigned char byte : filled<unsigned char>(Element::u8, Fill::bits, 5000)) bytes.insert(byte);
  EXPECT_EQ(bytes.size(), 256u);
  std::uint64_t ones = 0, zeros = 0;
  for (const std::uint64_t word : filled<std::uint64_t>(Element::u64, Fill::bits, 100)) {
    ones |= word;
    zeros |= ~word;
  }
  EXPECT_EQ(ones, ~std::uint64_t{0});
  EXPECT_EQ(zeros, ~std::uint64_t{0});
}

// Of 1 / 1 + 1 / 2 + ... + 1 / 1000 = 7.4855, the first number has 13.36 %, the second half of that, the hundredth 0.1336 %.
TEST_F(HelperKernelsTest, ZipfFollowsItsLaw) {
  std::map<int, int> seen;
  constexpr int draws = 200'000;
  for (const int id : filled<int>(Element::i32, Fill::index_zipf, draws, 7, 1000)) ++seen[id];
  EXPECT_GE(seen.begin()->first, 0);
  EXPECT_LT(seen.rbegin()->first, 1000);
  EXPECT_GT(seen.size(), 990u);
  EXPECT_NEAR(seen[0], draws * 0.13359, 600);  // four standard deviations
  EXPECT_NEAR(seen[1], draws * 0.06680, 450);
  EXPECT_NEAR(seen[2], draws * 0.04453, 370);
  int tail = 0;  // (H(1000) - H(500)) / H(1000) = 9.25 %
  for (const auto& [id, count] : seen) tail += id >= 500 ? count : 0;
  EXPECT_NEAR(tail, draws * 0.09253, 520);
  for (const int id : filled<int>(Element::i32, Fill::index_zipf, 100, 7, 1)) EXPECT_EQ(id, 0);
}

TEST_F(HelperKernelsTest, SortedNeverDescendsAndReachesBothEnds) {
  for (const std::uint64_t bound : {10ULL, 1000ULL, 100'000ULL}) {
    const auto ids = filled<long long>(Element::i64, Fill::index_sorted, 5000, 3, bound);
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    const auto width = static_cast<long long>(bound);
    EXPECT_GE(ids.front(), 0);
    EXPECT_LE(ids.front(), width / 100);
    EXPECT_LT(ids.back(), width);
    EXPECT_GE(ids.back(), width - 1 - width / 100);
    EXPECT_GE(std::set<long long>(ids.begin(), ids.end()).size(), std::min<std::size_t>(bound, 2000));
  }
}

TEST_F(HelperKernelsTest, EqualIsOneIdInTheTable) {
  const auto ids = filled<int>(Element::i32, Fill::index_equal, 100, 3, 1000);
  EXPECT_EQ(std::set<int>(ids.begin(), ids.end()).size(), 1u);
  EXPECT_GE(ids.front(), 0);
  EXPECT_LT(ids.front(), 1000);
}

TEST_F(HelperKernelsTest, OneIdInEightLiesOutsideWhereAsked) {
  for (const Fill fill : {Fill::index, Fill::index_zipf, Fill::index_sorted, Fill::index_equal}) {
    const runtime::DeviceBuffer memory(device_, 8000 * sizeof(int));
    helpers_->fill(memory.get(), 8000, {Element::i32, fill, 1000, 5, true}, stream);
    std::vector<int> ids(8000);
    device_.copy_to_host(ids.data(), memory.get(), memory.bytes());
    std::map<int, int> outside;
    for (const int id : ids)
      if (id < 0 || id >= 1000) ++outside[id];
    ASSERT_EQ(outside.size(), 4u);
    for (const int id : {-1, 1000, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
      EXPECT_NEAR(outside[id], 250, 60) << id;
  }
}

TEST_F(HelperKernelsTest, BytesAreComparedAsTheyAre) {
  const auto wrong = [&](const std::vector<std::uint16_t>& got, const std::vector<std::uint16_t>& expected) {
    const runtime::DeviceBuffer output(device_, got.size() * 2), reference(device_, got.size() * 2),
        report(device_, sizeof(device::Report));
    device_.copy_to_device(output.get(), got.data(), output.bytes());
    device_.copy_to_device(reference.get(), expected.data(), reference.bytes());
    device_.fill(report.get(), 0, report.bytes(), stream);
    const device::Comparison comparison{output.get(), reference.get(), 0, got.size(), 0, Element::u16, 2};
    helpers_->compare(comparison, report.get(), stream);
    helpers_->audit({}, comparison, report.get(), stream);
    device::Report result;
    device_.copy_to_host(&result, report.get(), sizeof(result));
    return result;
  };
  EXPECT_EQ(wrong({0x7e00, 0x8000, 1}, {0x7e00, 0x8000, 1}).wrong, 0u);
  const device::Report report =
      wrong({1, 0x7e01, 0x8000}, {1, 0x7e00, 0});  // another NaN; zero of the other sign
  EXPECT_EQ(report.wrong, 2u);
  EXPECT_EQ(~report.first_inverse, 1u);
  EXPECT_EQ(report.got_bits, 0x7e01u);
  EXPECT_EQ(report.expected_bits, 0x7e00u);
  EXPECT_EQ(std::bit_cast<double>(report.max_error_bits), 1.0);
}

TEST_F(HelperKernelsTest, ConstantsInEveryFloatingType) {
  EXPECT_EQ(filled<std::uint16_t>(Element::f16, Fill::one, 3), (std::vector<std::uint16_t>(3, 0x3c00)));
  EXPECT_EQ(filled<std::uint16_t>(Element::bf16, Fill::one, 3), (std::vector<std::uint16_t>(3, 0x3f80)));
  EXPECT_EQ(filled<double>(Element::f64, Fill::one, 3), (std::vector<double>(3, 1.0)));
  EXPECT_EQ(filled<float>(Element::f32, Fill::zero, 3), (std::vector<float>(3, 0.0f)));
}

TEST_F(HelperKernelsTest, SeedDecidesTheValues) {
  const auto first = filled<float>(Element::f32, Fill::uniform, 100, 1);
  EXPECT_EQ(first, filled<float>(Element::f32, Fill::uniform, 100, 1));
  EXPECT_NE(first, filled<float>(Element::f32, Fill::uniform, 100, 2));
  for (const float value : first) EXPECT_LE(std::abs(value), 1);
}

TEST_F(HelperKernelsTest, CompareCountsAndShowsTheFirst) {
  const device::Report report = compared({1, 2.5f, 3, 9}, {1, 2, 3, 4}, 0.1);
  EXPECT_EQ(report.wrong, 2u);
  EXPECT_EQ(~report.first_inverse, 1u);
  EXPECT_EQ(report.got, 2.5);
  EXPECT_EQ(report.expected, 2.0);
  EXPECT_EQ(std::bit_cast<double>(report.max_error_bits), 5.0);
  const device::Report close = compared({1.05f, 2}, {1, 2}, 0.1);
  EXPECT_EQ(close.wrong, 0u);
  EXPECT_NEAR(std::bit_cast<double>(close.max_error_bits), 0.05, 1e-6);
}

TEST_F(HelperKernelsTest, NanPassesOnlyWhereTheReferenceHasOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(compared({nan}, {1}, 1e30).wrong, 1u);
  EXPECT_EQ(compared({1}, {nan}, 1e30).wrong, 1u);
  EXPECT_EQ(compared({nan}, {nan}, 0).wrong, 0u);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(compared({infinity}, {infinity}, 0).wrong, 0u);
  EXPECT_EQ(compared({infinity}, {1e30}, 0.5).wrong, 1u);
  EXPECT_EQ(compared({infinity}, {1e300}, 0).wrong, 0u);  // what float makes of it
}

TEST_F(HelperKernelsTest, ToleranceZeroMeansEqualAfterRounding) {
  EXPECT_EQ(compared({0.1f}, {0.1}, 0).wrong, 0u);  // the float nearest to 0.1
  EXPECT_EQ(compared({std::nextafter(0.1f, 1.0f)}, {0.1}, 0).wrong, 1u);
}

TEST_F(HelperKernelsTest, AuditSeesOneChangedByteAnywhere) {
  const std::vector<unsigned char> clean(61, 0xff);
  for (std::size_t offset = 0; offset < 9; ++offset) {
    EXPECT_EQ(audited(clean, device::Expect::all_ones, offset).damaged, 0u);
    const auto base = audited(clean, device::Expect::checksum, offset).sums[3];
    for (std::size_t i = offset; i < clean.size(); ++i) {
      std::vector<unsigned char> dirty = clean;
      dirty[i] = 0x7f;
      const device::Report report = audited(dirty, device::Expect::all_ones, offset);
      EXPECT_NE(report.damaged, 0u) << i;
      EXPECT_EQ(~report.damaged_inverse, 3u);
      EXPECT_NE(audited(dirty, device::Expect::checksum, offset).sums[3], base) << i;
    }
  }
  EXPECT_EQ(audited({0, 0, 0}, device::Expect::all_zero).counters, 0u);
  EXPECT_NE(audited({0, 1, 0}, device::Expect::all_zero).counters, 0u);
}

TEST_F(HelperKernelsTest, FillsAndTypesAreNamed) {
  EXPECT_EQ(parse_fill("whole"), Fill::whole);
  EXPECT_THROW(parse_fill("wholes"), Error);
  EXPECT_EQ(element_code("__nv_bfloat16"), Element::bf16);
  EXPECT_EQ(element_code("unsigned int"), Element::u32);
  EXPECT_EQ(element_code("long long"), Element::i64);
  EXPECT_THROW(element_code("float4"), Error);
}

}  // namespace
}  // namespace warptune::tuner
