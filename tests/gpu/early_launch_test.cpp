// Kernels that begin while the kernel ahead of them still runs, on a real GPU: they must neither read what that one has yet to write
// nor write what it has yet to read.
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <warptune/runtime/device.hpp>
#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/spec/catalog.hpp>

#include "tests/gpu/plan_runner.hpp"

namespace warptune {
namespace {

using runtime::DeviceBuffer;
using runtime::DevicePointer;
using Words = std::vector<std::uint32_t>;

// late_copy lets the kernel behind it begin at once, and copies only half a millisecond later; hasty_copy begins early and does not wait.
constexpr const char* source = R"cuda(
__device__ void copy(unsigned* to, const unsigned* from, unsigned long long words) {
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) to[i] = from[i];
}
extern "C" __global__ void late_copy(unsigned* to, const unsigned* from, unsigned long long words) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < 500000);
  copy(to, from, words);
}
extern "C" __global__ void hasty_copy(unsigned* to, const unsigned* from, unsigned long long words) { copy(to, from, words); }
)cuda";

class GpuEarlyLaunch : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    runner_ = std::make_unique<test::PlanRunner>();
    if (runner_->traits().compute_capability < 90)
      GTEST_SKIP() << "no launch begins early before compute capability 9.0";
    runtime::KernelBuilder builder(runtime::open_nvrtc(), {});
    runtime::CompileRequest request;
    request.source = source;
    request.program_name = "copies.cu";
    request.entries = {"late_copy", "hasty_copy"};
    request.architecture = device().info().architecture();
    for (const runtime::CompileResult& compiled : builder.build(request)) {
      ASSERT_TRUE(compiled.kernel) << compiled.log;
      modules_.push_back(device().load(*compiled.kernel->image));
      (compiled.entry == "late_copy" ? late_copy_ : hasty_copy_) =
          modules_.back()->function(compiled.kernel->lowered_name);
    }
    // What these tests look for can be seen here: a kernel that does not wait reads what stood there before.
    const DeviceBuffer right = upload(Words(1000, 1)), late = upload(Words(1000, 0)),
                       seen = upload(Words(1000, 2));
    late_copy(late, right);
    launch(hasty_copy_, seen, late, /*early=*/true);
    if (download(seen) != Words(1000, 0))
      GTEST_SKIP() << "no launch begins early with this device and driver";
  }

  runtime::Device& device() { return runner_->device(); }

  DeviceBuffer upload(const Words& words) {
    DeviceBuffer buffer(device(), words.size() * sizeof(std::uint32_t));
    device().copy_to_device(buffer.get(), words.data(), buffer.bytes());
    return buffer;
  }
  Words download(const DeviceBuffer& buffer) {
    Words words(buffer.bytes() / sizeof(std::uint32_t));
    device().synchronize(test::PlanRunner::stream);
    device().copy_to_host(words.data(), buffer.get(), buffer.bytes());
    return words;
  }
  // A block for one multiprocessor in four: room is left for what may begin early.
  void launch(runtime::FunctionHandle copy, const DeviceBuffer& to, const DeviceBuffer& from, bool early) {
    DevicePointer target = to.get(), origin = from.get();
    unsigned long long words = to.bytes() / sizeof(std::uint32_t);
    void* parameters[] = {&target, &origin, &words};
    device().launch(copy, {{32, 1, 1}, {256, 1, 1}, 0, early}, test::PlanRunner::stream, parameters);
  }
  void late_copy(const DeviceBuffer& to, const DeviceBuffer& from) { launch(late_copy_, to, from, false); }

  std::unique_ptr<test::PlanRunner> runner_;
  std::vector<std::unique_ptr<runtime::LoadedModule>> modules_;
  runtime::FunctionHandle late_copy_{}, hasty_copy_{};
};

spec::Config config_of(const spec::TemplatePtr& spec, const std::map<std::string, spec::Value>& changes) {
  std::map<std::string, spec::Value> named;
  for (std::size_t i = 0; i < spec->tunables.size(); ++i)
    named[spec->tunables[i].name] = spec->default_config.values[i];
  for (const auto& [name, value] : changes) named[name] = value;
  return spec::from_named(*spec, named);
}

TEST_F(GpuEarlyLaunch, EmbeddingWaitsForTheKernelAhead) {
  constexpr std::uint32_t v = 97, n = 513, h = 256;
  constexpr std::uint32_t poison = 0xeeeeeeee;
  const spec::TemplatePtr spec = spec::find_template("embedding");
  spec::Problem problem;
  problem.types = {{"T", "float"}, {"I", "int"}};
  problem.dims = {{"v", v}, {"n", n}, {"h", h}};
  // With a cache that holds nothing, each call lets the next kernel begin as soon as its own blocks run.
  spec::DeviceTraits no_cache = runner_->traits();
  no_cache.l2_bytes = 0;
  const auto integer = [](std::int64_t value) { return spec::Value::integer(value); };
  const auto word = [](const char* text) { return spec::Value::word(text); };
  const std::vector<spec::Config> configs = {
      spec->default_config,
      config_of(spec, {{"PACK", integer(4)}, {"LOAD", word("no_allocate")}, {"UNROLL", integer(1)}}),
      config_of(spec, {{"PACK", integer(4)}, {"LOAD", word("streaming")}, {"UNROLL", integer(1)}}),
      config_of(spec, {{"MAPPING", word("whole")},
                       {"PACK", integer(4)},
                       {"THREADS_PER_ROW", integer(32)},
                       {"UNROLL", integer(2)}}),
      config_of(spec, {{"MAPPING", word("flat")},
                       {"PACK", integer(4)},
                       {"THREADS_PER_ROW", integer(0)},
                       {"UNROLL", integer(2)}}),
      config_of(spec, {{"MAPPING", word("bulk")},
                       {"PACK", integer(4)},
                       {"THREADS_PER_ROW", integer(0)},
                       {"UNROLL", integer(2)},
                       {"CHUNK_BYTES", integer(2048)}}),
  };
  Words ids, table, expected, expected_again;
  for (std::uint32_t i = 0; i < n; ++i) ids.push_back((i * 31 + 5) % v);
  for (std::uint32_t i = 0; i < v * h; ++i) table.push_back(i * 2654435761u);
  for (const std::uint32_t id : ids)
    expected.insert(expected.end(), table.begin() + id * h, table.begin() + (id + 1) * h);
  for (const std::uint32_t id : ids)
    expected_again.insert(expected_again.end(), expected.begin() + id * h, expected.begin() + (id + 1) * h);
  const DeviceBuffer right_ids = upload(ids), right_table = upload(table);
  const Words blank(expected.size(), poison);

  for (const spec::DeviceTraits& traits : {runner_->traits(), no_cache}) {
    const spec::Instance instance(spec, problem, traits);
    ASSERT_EQ(runner_->build(instance, configs), "");
    for (const spec::Config& config : configs) {
      const std::string text = spec::to_text(*spec, config);
      ASSERT_FALSE(instance.excluded(config)) << text;
      const DeviceBuffer output = upload(blank), saved = upload(Words(expected.size(), 0)),
                         none(device(), 16);
      const auto run = [&](const DeviceBuffer& with_ids, const DeviceBuffer& with_table,
                           const DeviceBuffer& to) {
        runner_->run(instance, config, {with_ids.get(), with_table.get(), to.get(), none.get()});
      };
      late_copy(saved, output);  // is still to read what the call writes
      run(right_ids, right_table, output);
      EXPECT_EQ(download(saved), blank) << text << " writes too early";

      const DeviceBuffer late_ids = upload(Words(n, 0)), by_ids = upload(blank);
      late_copy(late_ids, right_ids);
      run(late_ids, right_table, by_ids);
      EXPECT_EQ(download(by_ids), expected) << text << " reads ids too early";

      // The second call looks up in what the first one writes.
      const DeviceBuffer late_table = upload(Words(v * h, poison)), by_table = upload(blank),
                         again = upload(blank);
      late_copy(late_table, right_table);
      run(right_ids, late_table, by_table);
      run(right_ids, by_table, again);
      EXPECT_EQ(download(by_table), expected) << text << " reads the table too early";
      EXPECT_EQ(download(again), expected_again) << text << " begins too early behind itself";
    }
  }
}

TEST_F(GpuEarlyLaunch, DotWaitsForTheKernelAhead) {
  constexpr std::uint32_t n = 100'003;
  const spec::TemplatePtr spec = spec::find_template("dot");
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", n}};
  const spec::Instance instance(spec, problem, runner_->traits());
  std::vector<spec::Config> configs;
  for (const char* finish : {"two_pass", "last_block", "atomic"})
    configs.push_back(config_of(spec, {{"FINISH", spec::Value::word(finish)}}));
  ASSERT_EQ(runner_->build(instance, configs), "");
  std::vector<float> values(n);
  double sum = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(i % 5);  // sums of squares below 2^24: exact in float
    sum += values[i] * values[i];
  }
  Words words(n);
  std::memcpy(words.data(), values.data(), n * sizeof(float));
  const DeviceBuffer right = upload(words);

  for (const spec::Config& config : configs) {
    const std::string text = spec::to_text(*spec, config);
    const DeviceBuffer partials(device(), 1 << 20), ticket = upload(Words(4, 0));
    const DeviceBuffer y = upload(Words(1, 0x7fc00000)), saved = upload(Words(1, 0));
    const auto run = [&](const DeviceBuffer& a, const DeviceBuffer& to) {
      runner_->run(instance, config, {a.get(), right.get(), to.get(), partials.get(), ticket.get()});
    };
    late_copy(saved, y);
    run(right, y);
    EXPECT_EQ(download(saved), Words(1, 0x7fc00000)) << text << " writes too early";
    for (int call = 0; call < 3; ++call) {
      const DeviceBuffer late = upload(Words(n, 0)), first = upload(Words(1, 0x7fc00000));
      late_copy(late, right);
      run(late, first);
      run(late, y);  // begins early behind the one before
      for (const DeviceBuffer* result : {&first, &y}) {
        float value = 0;
        const Words got = download(*result);
        std::memcpy(&value, got.data(), sizeof(value));
        EXPECT_EQ(value, static_cast<float>(sum)) << text << " reads too early";
      }
    }
  }
}

}  // namespace
}  // namespace warptune
