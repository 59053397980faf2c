// Every config of dot on a real GPU, in buffers of exactly the right size, against whole-number sums that float holds exactly.
// Meant to run under compute-sanitizer too: a read or write past a buffer is then reported, whatever the result.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <warptune/spec/catalog.hpp>
#include <warptune/spec/element_type.hpp>
#include <warptune/spec/space.hpp>

#include "tests/gpu/plan_runner.hpp"

namespace warptune {
namespace {

using runtime::DeviceBuffer;

constexpr runtime::StreamHandle stream = test::PlanRunner::stream;

// a[i] in 1..3, b[i] alternating in sign: products and all their partial sums are small whole numbers.
int left(std::int64_t i) { return static_cast<int>(i % 3) + 1; }
int right(std::int64_t i) { return i % 2 == 0 ? static_cast<int>(i % 5) + 1 : -static_cast<int>(i % 7) - 1; }

// The bits of a small whole number in each type, written out by hand so that no conversion of ours is trusted.
std::uint32_t bits(const std::string& type, int value) {
  const float exact = static_cast<float>(value);
  std::uint32_t word = 0;
  std::memcpy(&word, &exact, sizeof(word));
  if (type == "float") return word;
  if (type == "__nv_bfloat16") return word >> 16;
  const std::uint32_t exponent = (word >> 23 & 0xff) - 127 + 15;
  return (word >> 31) << 15 | exponent << 10 | (word >> 13 & 0x3ff);
}

class GpuDot : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string why;
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    runner_ = std::make_unique<test::PlanRunner>();
    device_ = &runner_->device();
  }

  spec::Instance instance(std::int64_t n) const {
    spec::Problem problem;
    problem.types = {{"T", GetParam()}};
    problem.dims = {{"n", n}};
    problem.allowed = {true, true};
    return spec::Instance(spec::find_template("dot"), problem, device_->info().traits);
  }

  DeviceBuffer operand(std::int64_t n, int (*value)(std::int64_t)) {
    const std::size_t size = static_cast<std::size_t>(spec::find_element_type(GetParam())->size_bytes);
    std::vector<std::byte> content(static_cast<std::size_t>(n) * size);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t word = bits(GetParam(), value(i));
      std::memcpy(content.data() + static_cast<std::size_t>(i) * size, &word, size);
    }
    DeviceBuffer buffer(*device_, std::max<std::size_t>(content.size(), 1));
    device_->copy_to_device(buffer.get(), content.data(), content.size());
    return buffer;
  }

  // y after one call. `a`, `b`: operands of exactly n elements.
  float run(const spec::Instance& problem, const spec::Config& config, const DeviceBuffer& a,
            const DeviceBuffer& b) {
    const std::vector<spec::BufferLayout> layouts = problem.buffers(config);
    std::vector<DeviceBuffer> owned;
    std::vector<runtime::DevicePointer> pointers;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      const std::string& name = problem.spec().buffers[i].name;
      if (name == "a" || name == "b") {
        pointers.push_back(name == "a" ? a.get() : b.get());
        continue;
      }
      const auto bytes = static_cast<std::size_t>(layouts[i].bytes());
      owned.emplace_back(*device_, std::max<std::size_t>(bytes, 1));
      pointers.push_back(owned.back().get());
      const bool counter = problem.spec().buffers[i].role == spec::BufferRole::counter;
      if (bytes > 0 && (counter || poison_))
        device_->fill(pointers.back(), counter ? 0 : 0xff, bytes, stream);
    }
    runner_->run(problem, config, pointers);
    float y = 0;
    device_->copy_to_host(&y, pointers[problem.spec().buffer_index("y")], sizeof(y));
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      if (problem.spec().buffers[i].role != spec::BufferRole::counter || layouts[i].bytes() == 0) continue;
      std::uint32_t ticket = 1;
      device_->copy_to_host(&ticket, pointers[i], sizeof(ticket));
      EXPECT_EQ(ticket, 0u) << "counter left other than zero by " << spec::to_text(problem.spec(), config);
    }
    return y;
  }

  // Runs every config at its lengths; returns the number of calls.
  std::int64_t sweep(const std::vector<spec::Config>& configs) {
    const spec::Instance base = instance(1);
    EXPECT_EQ(runner_->build(base, configs), "");
    if (HasFailure()) return 0;
    const std::size_t threads = base.spec().tunable_index("NUM_THREADS"),
                      pack = base.spec().tunable_index("PACK"), unroll = base.spec().tunable_index("UNROLL");
    std::map<std::int64_t, std::vector<spec::Config>> by_length;
    for (const spec::Config& config : configs) {
      const std::int64_t p = config.values[pack].as_integer();
      const std::int64_t tile = config.values[threads].as_integer() * p * config.values[unroll].as_integer();
      for (std::int64_t n : std::set<std::int64_t>{0, 1, p + 1, tile - 1, tile, 2 * tile + p + 1}) {
        by_length[n].push_back(config);
      }
    }
    std::int64_t calls = 0;
    for (const auto& [n, some] : by_length) {
      const spec::Instance problem = instance(n);
      const DeviceBuffer a = operand(n, left), b = operand(n, right);
      double expected = 0;
      for (std::int64_t i = 0; i < n; ++i) expected += left(i) * right(i);
      for (const spec::Config& config : some) {
        EXPECT_EQ(static_cast<double>(run(problem, config, a, b)), expected)
            << "n=" << n << " " << spec::to_text(problem.spec(), config);
        ++calls;
      }
    }
    return calls;
  }

  bool poison_ = true;  // off for initcheck, which takes a fill for an initialisation

 private:
  std::unique_ptr<test::PlanRunner> runner_;
  runtime::Device* device_ = nullptr;
};

TEST_P(GpuDot, EveryConfigAtItsEdgeLengths) {
  const std::vector<spec::Config> configs = spec::Space(instance(1 << 20)).list();
  // Counted by hand: 6 NUM_THREADS x 4 UNROLL x 6 BLOCKS_PER_SM x 3 FINISH x packs (float 3; halves 4, of which half2 adds 3).
  const std::map<std::string, std::size_t> packs = {{"float", 3}, {"__half", 7}, {"__nv_bfloat16", 4}};
  ASSERT_EQ(configs.size(), 432 * packs.at(GetParam()));
  const std::int64_t calls = sweep(configs);
  EXPECT_GE(calls, 5 * static_cast<std::int64_t>(configs.size()));
  std::printf("dot %s: %zu configs, %lld calls\n", GetParam(), configs.size(), static_cast<long long>(calls));
}

TEST_P(GpuDot, OneConfigPerPackMultiplyFinish) {
  poison_ = false;
  const spec::Instance problem = instance(1 << 20);
  std::vector<spec::Config> configs;
  std::set<std::tuple<std::int64_t, std::string, std::string>> seen;
  const spec::TemplateSpec& dot = problem.spec();
  spec::Space(problem).for_each([&](const spec::Config& config) {
    const auto value = [&](const char* name) { return config.values[dot.tunable_index(name)]; };
    // Several warps, several tiles per thread and several blocks: all barriers and the ticket take part.
    if (value("NUM_THREADS").as_integer() != 128 || value("UNROLL").as_integer() != 2) return true;
    if (value("BLOCKS_PER_SM").as_integer() != 0) return true;
    if (seen.emplace(value("PACK").as_integer(), value("MULTIPLY").text(), value("FINISH").text()).second) {
      configs.push_back(config);
    }
    return true;
  });
  const std::map<std::string, std::size_t> packs = {{"float", 3}, {"__half", 7}, {"__nv_bfloat16", 4}};
  ASSERT_EQ(configs.size(), 3 * packs.at(GetParam()));
  EXPECT_GT(sweep(configs), 0);
}

std::string type_name(const ::testing::TestParamInfo<const char*>& type) {
  const std::string name = type.param;
  return name.substr(name.find_first_not_of('_'));  // GoogleTest allows no leading underscore
}

INSTANTIATE_TEST_SUITE_P(Types, GpuDot, ::testing::Values("float", "__half", "__nv_bfloat16"), type_name);

}  // namespace
}  // namespace warptune
