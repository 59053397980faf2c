// What pointers tell of their elements, and where that does not fit the kernel.
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <warptune/runtime/operands.hpp>
#include <warptune/spec/element_type.hpp>

#include "tests/runtime/dispatch_fixture.hpp"

namespace {
struct Bits16 {
  std::uint16_t bits;
};
struct Unknown {
  float x, y;
};
}  // namespace

template <>
inline constexpr std::string_view warptune::runtime::element_name<Bits16> = "__half";

namespace warptune::testing {
namespace {

using runtime::element_name;
using runtime::Match;
using runtime::operands;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(ElementName, IsThatOfManifests) {
  for (const spec::ElementType& type : spec::element_types()) {
    const std::string_view names[] = {
        element_name<float>,         element_name<double>,        element_name<__half>,
        element_name<__nv_bfloat16>, element_name<__nv_fp8_e4m3>, element_name<__nv_fp8_e5m2>,
        element_name<std::int8_t>,   element_name<std::uint8_t>,  element_name<std::int16_t>,
        element_name<std::uint16_t>, element_name<std::int32_t>,  element_name<std::uint32_t>,
        element_name<std::int64_t>,  element_name<std::uint64_t>};
    EXPECT_THAT(names, ::testing::Contains(type.name));
  }
  EXPECT_EQ(element_name<long long>, element_name<std::int64_t>);
  EXPECT_EQ(element_name<Bits16>, "__half");
  EXPECT_EQ(element_name<Unknown>, "");
  EXPECT_EQ(element_name<char>, "");
}

TEST(Operands, EqualTypesHaveTheSameNamesWhateverTheirConst) {
  float* const written = nullptr;
  const float* const read = nullptr;
  EXPECT_EQ(operands(written, written).element_names, operands(read, written).element_names);
  EXPECT_NE(operands(written).element_names, operands(static_cast<double*>(nullptr)).element_names);
  const auto mixed = operands(read, static_cast<void*>(nullptr), std::uint64_t{4096});
  EXPECT_EQ(mixed.element_names[0], "float");
  EXPECT_EQ(mixed.element_names[1], "");
  EXPECT_EQ(mixed.element_names[2], "");
  EXPECT_EQ(mixed.pointers[2], reinterpret_cast<void*>(4096));
}

class TypedOperands : public DispatchTest {
 protected:
  template <typename T>
  T* x() const {
    return static_cast<T*>(memory_.pointers()[0]);
  }
  float* y() const { return static_cast<float*>(memory_.pointers()[1]); }
  template <typename... P>
  std::string error_of(P... pointers) {
    try {
      kernel_.launch(runtime::legacy_stream, dims_, operands(pointers...));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.full_text();
    }
    return "";
  }

  const std::int64_t dims_[2] = {1024, 1};
  const TallyOperands memory_{*device_, 1024};
  runtime::Runtime runtime_ = open();
  const runtime::Kernel kernel_ = kernel(runtime_);
};

TEST_F(TypedOperands, ThoseOfTheManifestAreLaunched) {
  EXPECT_EQ(error_of(x<const float>(), y()), "");
  EXPECT_EQ(memory_.result(), 1024.0F);
  EXPECT_EQ(error_of(x<float>(), y()), "");
  EXPECT_EQ(error_of(x<const void>(), y()), "");
  EXPECT_EQ(error_of(reinterpret_cast<std::uint64_t>(x<void>()), y()), "");
  EXPECT_EQ(error_of(x<Unknown>(), y()), "");
  EXPECT_EQ(device_->launch_count(), 5U);
}

TEST_F(TypedOperands, AnotherOneIsNamedAndNothingIsLaunchedHoweverOftenItIsTried) {
  for (int call = 0; call < 3; ++call) {
    EXPECT_THAT(error_of(x<const __half>(), y()),
                HasSubstr("tally: operand x is of float here, the pointer is to __half"));
    EXPECT_THAT(error_of(x<const Bits16>(), y()), HasSubstr("to __half"));
    EXPECT_THAT(error_of(x<const int>(), y()), HasSubstr("to int"));
    EXPECT_THAT(error_of(x<float>(), reinterpret_cast<double*>(y())), HasSubstr("operand y is of float"));
    EXPECT_THAT(error_of(x<float>()), HasSubstr("takes 2 pointers"));
  }
  EXPECT_EQ(device_->launch_count(), 0U);
  EXPECT_EQ(error_of(x<float>(), y()), "");
}

TEST_F(TypedOperands, TheTypesOfTheKernelCount) {
  const auto doubles = runtime_.kernel(manifest().string(), {{"T", "f64"}});
  EXPECT_THROW(doubles.launch(runtime::legacy_stream, dims_, operands(x<float>(), x<float>())), Error);
}

// What prepare() readied serves a typed launch in a capture.
TEST_F(TypedOperands, ACaptureTakesThemWithoutMore) {
  const runtime::StreamHandle stream = device_->create_stream();
  kernel_.prepare(stream, dims_);
  device_->begin_capture(stream);
  EXPECT_EQ(kernel_.launch(stream, dims_, operands(x<float>(), y())), Match::default_config);
  EXPECT_THROW(kernel_.launch(stream, dims_, operands(x<__half>(), y())), Error);
  const auto graph = device_->end_capture(stream);
  graph->launch(stream);
  EXPECT_EQ(memory_.result(), 1024.0F);
  device_->destroy_stream(stream);
}

TEST_F(TypedOperands, AWorkspaceOfTheCallersServesThemToo) {
  const runtime::Workspace workspace = kernel_.reserve(dims_);
  EXPECT_EQ(kernel_.launch(runtime::legacy_stream, dims_, operands(x<float>(), y()), workspace),
            Match::default_config);
  EXPECT_EQ(memory_.result(), 1024.0F);
}

}  // namespace
}  // namespace warptune::testing
