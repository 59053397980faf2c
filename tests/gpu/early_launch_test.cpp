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

// Lets the kernel behind it begin at once, and copies only half a millisecond later.
constexpr const char* late_copy_source = R"cuda(
extern "C" __global__ void late_copy(unsigned* to, const unsigned* from, unsigned long long words) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < 500000);
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) to[i] = from[i];
}
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
    request.source = late_copy_source;
    request.program_name = "late_copy.cu";
    request.entries = {"late_copy"};
    request.architecture = device().info().architecture();
    const runtime::CompileResult compiled = builder.build(request).front();
    ASSERT_TRUE(compiled.kernel) << compiled.log;
    module_ = device().load(*compiled.kernel->image);
    late_copy_ = module_->function(compiled.kernel->lowered_name);
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
  void late_copy(const DeviceBuffer& to, const DeviceBuffer& from) {
    DevicePointer target = to.get(), source = from.get();
    unsigned long long words = to.bytes() / sizeof(std::uint32_t);
    void* parameters[] = {&target, &source, &words};
    device().launch(late_copy_, {{32, 1, 1}, {256, 1, 1}, 0}, test::PlanRunner::stream, parameters);
  }

  std::unique_ptr<test::PlanRunner> runner_;
  std::unique_ptr<runtime::LoadedModule> module_;
  runtime::FunctionHandle late_copy_{};
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
  const spec::Instance instance(spec, problem, runner_->traits());
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
  ASSERT_EQ(runner_->build(instance, configs), "");
  Words ids, table, expected;
  for (std::uint32_t i = 0; i < n; ++i) ids.push_back((i * 31 + 5) % v);
  for (std::uint32_t i = 0; i < v * h; ++i) table.push_back(i * 2654435761u);
  for (const std::uint32_t id : ids)
    expected.insert(expected.end(), table.begin() + id * h, table.begin() + (id + 1) * h);
  const DeviceBuffer right_ids = upload(ids), right_table = upload(table);
  const Words blank(expected.size(), poison);

  for (const spec::Config& config : configs) {
    ASSERT_FALSE(instance.excluded(config)) << spec::to_text(*spec, config);
    const DeviceBuffer late_ids = upload(Words(n, 0)), late_table = upload(Words(v * h, poison));
    const DeviceBuffer output = upload(blank), saved = upload(Words(expected.size(), 0)), none(device(), 16);
    const auto run = [&](const DeviceBuffer& with_ids, const DeviceBuffer& with_table) {
      runner_->run(instance, config, {with_ids.get(), with_table.get(), output.get(), none.get()});
    };
    late_copy(saved, output);  // is still to read what the call writes
    run(right_ids, right_table);
    EXPECT_EQ(download(saved), blank) << spec::to_text(*spec, config) << " writes too early";
    late_copy(late_ids, right_ids);
    run(late_ids, right_table);
    EXPECT_EQ(download(output), expected) << spec::to_text(*spec, config) << " reads ids too early";
    late_copy(late_table, right_table);
    run(right_ids, late_table);
    EXPECT_EQ(download(output), expected) << spec::to_text(*spec, config) << " reads the table too early";
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
    const DeviceBuffer late = upload(Words(n, 0)), partials(device(), 1 << 20), ticket = upload(Words(4, 0));
    const DeviceBuffer y = upload(Words(1, 0x7fc00000)), saved = upload(Words(1, 0));
    const auto run = [&](const DeviceBuffer& a) {
      runner_->run(instance, config, {a.get(), right.get(), y.get(), partials.get(), ticket.get()});
    };
    late_copy(saved, y);
    run(right);
    EXPECT_EQ(download(saved), Words(1, 0x7fc00000)) << text << " writes too early";
    for (int call = 0; call < 3; ++call) {  // each begins early behind the one before
      late_copy(late, right);
      run(late);
      run(late);
    }
    const Words got = download(y);
    float value = 0;
    std::memcpy(&value, got.data(), sizeof(value));
    EXPECT_EQ(value, static_cast<float>(sum)) << text << " reads too early";
  }
}

}  // namespace
}  // namespace warptune
