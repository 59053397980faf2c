// The typed call of embedding on the stub device: which kernel, which arguments, what is refused. What the kernels compute:
// tests/simt/embedding_test.cpp and tests/gpu/embedding_test.cpp.
#include <warptune/runtime/embedding.hpp>

#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/dispatch_fixture.hpp"

namespace warptune::testing {
namespace {

using runtime::DeviceBuffer;
using runtime::EmbeddingOptions;
using runtime::EmbeddingShape;
using runtime::IdPolicy;
using runtime::Match;
using ::testing::HasSubstr;

class EmbeddingCall : public DispatchTest {
 protected:
  // Rows of the default config; the stub runs it as one loop.
  template <typename Id>
  void define_rows(int element_bytes) {
    device_->define<const Id*, const char*, char*, unsigned long long*, long long, long long, int, long long,
                    long long, int>(
        "embedding_rows",
        [this, element_bytes](const StubLaunch& launch, const Id* ids, const char* table, char* output,
                              unsigned long long* first_bad, long long n, long long v, int h,
                              long long table_pitch, long long output_pitch, int) {
          name_ = launch.name;
          for (long long i = n; i-- > 0;) {
            const bool inside = ids[i] >= 0 && ids[i] < v;
            if (!inside && first_bad != nullptr) *first_bad = static_cast<unsigned long long>(i);
            if (inside)
              std::memcpy(output + i * output_pitch * element_bytes,
                          table + ids[i] * table_pitch * element_bytes,
                          static_cast<std::size_t>(h * element_bytes));
          }
        });
  }

  template <typename T>
  DeviceBuffer upload(const std::vector<T>& values) {
    DeviceBuffer buffer(*device_, std::max<std::size_t>(values.size() * sizeof(T), 16));
    device_->copy_to_device(buffer.get(), values.data(), values.size() * sizeof(T));
    return buffer;
  }
  template <typename T>
  std::vector<T> download(const DeviceBuffer& buffer, std::size_t count) {
    std::vector<T> values(count);
    device_->copy_to_host(values.data(), buffer.get(), count * sizeof(T));
    return values;
  }
  template <typename T>
  static T* at(const DeviceBuffer& buffer) {
    return reinterpret_cast<T*>(buffer.get());
  }

  std::string name_;
};

TEST_F(EmbeddingCall, PicksRowsWithPitches) {
  define_rows<std::int32_t>(4);
  const auto runtime = open();
  const DeviceBuffer ids = upload<std::int32_t>({2, 0, 2});
  const DeviceBuffer table = upload<float>({1, 2, -1, 3, 4, -1, 5, 6, -1});
  const DeviceBuffer output = upload<float>(std::vector<float>(12, 9.0f));
  const EmbeddingShape shape{.v = 3, .n = 3, .h = 2, .table_pitch = 3, .output_pitch = 4};
  EXPECT_EQ(embedding(runtime, at<std::int32_t>(ids), at<float>(table), at<float>(output), shape),
            Match::default_config);
  EXPECT_EQ(download<float>(output, 12), (std::vector<float>{5, 6, 9, 9, 1, 2, 9, 9, 5, 6, 9, 9}));
  EXPECT_THAT(name_, HasSubstr("embedding_rows<int, 4, 1,"));
  EXPECT_THAT(name_, HasSubstr("Policy::clamp"));
}

TEST_F(EmbeddingCall, CheckTellsTheFirstBadId) {
  define_rows<std::int64_t>(2);
  const auto runtime = open();
  const DeviceBuffer table = upload<std::uint16_t>({7, 8, 9});
  const DeviceBuffer output = upload<std::uint16_t>({0, 0, 0, 0}), first_bad = upload<std::int64_t>({77});
  const EmbeddingShape shape{.v = 3, .n = 4, .h = 1};
  const EmbeddingOptions options{.policy = IdPolicy::check, .first_bad = at<std::int64_t>(first_bad)};
  const DeviceBuffer good = upload<std::int64_t>({0, 1, 2, 0}), bad = upload<std::int64_t>({0, 1, 3, -1});
  embedding(runtime, at<std::int64_t>(good), at<std::uint16_t>(table), at<std::uint16_t>(output), shape,
            options);
  EXPECT_EQ(download<std::int64_t>(first_bad, 1).front(), -1);
  EXPECT_THAT(name_, HasSubstr("embedding_rows<long long, 2, 1,"));
  EXPECT_THAT(name_, HasSubstr("Policy::check"));
  embedding(runtime, at<std::int64_t>(bad), at<std::uint16_t>(table), at<std::uint16_t>(output), shape,
            options);
  EXPECT_EQ(download<std::int64_t>(first_bad, 1).front(), 2);
}

TEST_F(EmbeddingCall, RefusesCheckWithoutAPlaceForItsAnswerAndPitchesBelowH) {
  define_rows<std::int32_t>(4);
  const auto runtime = open();
  const DeviceBuffer ids = upload<std::int32_t>({0}), table = upload<float>({1, 2}),
                     output = upload<float>({0, 0});
  const auto kind = [&](const EmbeddingShape& shape, const EmbeddingOptions& options) {
    try {
      embedding(runtime, at<std::int32_t>(ids), at<float>(table), at<float>(output), shape, options);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind({.v = 1, .n = 1, .h = 2}, {.policy = IdPolicy::check}), ErrorKind::usage);
  EXPECT_EQ(kind({.v = 1, .n = 1, .h = 2, .table_pitch = 1}, {}), ErrorKind::bad_input);
  EXPECT_EQ(kind({.v = 1, .n = -1, .h = 2}, {}), ErrorKind::usage);
  EXPECT_EQ(name_, "");
}

TEST_F(EmbeddingCall, NothingToDoLaunchesNothing) {
  define_rows<std::int32_t>(4);
  const auto runtime = open();
  const float* const no_table = nullptr;
  embedding(runtime, static_cast<const std::int32_t*>(nullptr), no_table, static_cast<float*>(nullptr), {});
  EXPECT_EQ(name_, "");
}

}  // namespace
}  // namespace warptune::testing
