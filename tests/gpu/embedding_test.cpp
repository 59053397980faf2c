// Every config of embedding on a real GPU, in buffers of exactly the right size, against rows copied on the host. Meant to run under
// compute-sanitizer too: a read outside the table is then reported, whatever the result.
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <warptune/runtime/device.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/spec/element_type.hpp>
#include <warptune/spec/space.hpp>

#include "tests/gpu/plan_runner.hpp"

namespace warptune {
namespace {

using runtime::DeviceBuffer;
using Bytes = std::vector<unsigned char>;
using Dims = std::map<std::string, std::int64_t, std::less<>>;

struct Kind {
  const char* type;
  const char* id_type;
  const char* policy;
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.type << " " << kind.id_type << " " << kind.policy;
}

constexpr unsigned char poison = 0xee;

unsigned char table_byte(std::uint64_t i) {
  return static_cast<unsigned char>((i + 1) * 0x9e3779b97f4a7c15ull >> 56);
}

// Every third id lies outside the table: -1, v, the smallest and the largest in turn.
std::int64_t id_at(std::int64_t i, std::int64_t v, bool wide) {
  const std::int64_t outside[] = {
      -1, v, wide ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<int>::min(),
      wide ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<int>::max()};
  if (i % 3 == 1) return outside[i / 3 % 4];
  return v == 0 ? 0 : (i * 7 + i / 5) % v;
}

class GpuEmbedding : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    std::string why;
    if (runtime::cuda_device_count(&why) == 0) GTEST_SKIP() << "no GPU: " << why;
    runner_ = std::make_unique<test::PlanRunner>();
  }

  std::int64_t element_bytes() const { return spec::find_element_type(GetParam().type)->size_bytes; }
  bool wide() const { return std::string(GetParam().id_type) == "long long"; }

  spec::Instance instance(const Dims& dims) const {
    spec::Problem problem;
    problem.types = {{"T", GetParam().type}, {"I", GetParam().id_type}};
    problem.dims = dims;
    problem.attributes["policy"] = GetParam().policy;
    return spec::Instance(spec::find_template("embedding"), problem, runner_->traits());
  }

  DeviceBuffer upload(const Bytes& content) {
    DeviceBuffer buffer(runner_->device(), std::max<std::size_t>(content.size(), 1));
    runner_->device().copy_to_device(buffer.get(), content.data(), content.size());
    return buffer;
  }

  // The row of the table that output row i shows; -1: zeros.
  std::int64_t source(std::int64_t i, std::int64_t v) const {
    const std::int64_t id = id_at(i, v, wide());
    if (id >= 0 && id < v) return id;
    return std::string(GetParam().policy) == "clamp"
               ? std::clamp<std::int64_t>(id, 0, std::max<std::int64_t>(v, 1) - 1)
               : -1;
  }

  Bytes ids(std::int64_t n, std::int64_t v) const {
    const std::size_t size = wide() ? 8 : 4;
    Bytes content(static_cast<std::size_t>(n) * size);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t id = id_at(i, v, wide());
      std::memcpy(content.data() + static_cast<std::size_t>(i) * size, &id, size);
    }
    return content;
  }

  Bytes table(std::size_t bytes) const {
    Bytes content(bytes);
    for (std::size_t i = 0; i < bytes; ++i) content[i] = table_byte(i);
    return content;
  }

  // What `output` must hold: rows, and poison between them.
  Bytes expected(const spec::Instance& problem, const Bytes& table_bytes, std::size_t output_bytes) const {
    const Dims& dims = problem.problem().dims;
    const auto bytes = [&](const char* name) {
      return static_cast<std::size_t>(dims.at(name) * element_bytes());
    };
    Bytes result(output_bytes, poison);
    for (std::int64_t i = 0; i < dims.at("n") && bytes("h") > 0; ++i) {
      const std::int64_t row = dims.at("v") == 0 ? -1 : source(i, dims.at("v"));
      unsigned char* const to = result.data() + static_cast<std::size_t>(i) * bytes("output_pitch");
      if (row < 0)
        std::memset(to, 0, bytes("h"));
      else
        std::memcpy(to, table_bytes.data() + static_cast<std::size_t>(row) * bytes("table_pitch"),
                    bytes("h"));
    }
    return result;
  }

  // Runs those of the configs that may run at `dims`; their number.
  std::int64_t run_all(const std::vector<spec::Config>& configs, const Dims& dims) {
    const spec::Instance problem = instance(dims);
    const std::vector<spec::BufferLayout> layouts = problem.buffers(problem.spec().default_config);
    const auto bytes = [&](std::size_t buffer) { return static_cast<std::size_t>(layouts[buffer].bytes()); };
    const std::int64_t n = dims.at("n"), v = dims.at("v");
    const Bytes table_bytes = table(bytes(1)), want = expected(problem, table_bytes, bytes(2));
    const DeviceBuffer id_buffer = upload(ids(n, v)), table_buffer = upload(table_bytes),
                       output = upload(Bytes(bytes(2))), first_bad = upload(Bytes(8));
    std::int64_t calls = 0;
    Bytes got(bytes(2));
    for (const spec::Config& config : configs) {
      if (problem.excluded(config)) continue;
      if (!got.empty()) runner_->device().fill(output.get(), poison, got.size(), test::PlanRunner::stream);
      runner_->run(problem, config, {id_buffer.get(), table_buffer.get(), output.get(), first_bad.get()});
      runner_->device().copy_to_host(got.data(), output.get(), got.size());
      const auto wrong = std::mismatch(got.begin(), got.end(), want.begin()).first;
      EXPECT_TRUE(wrong == got.end())
          << "byte " << wrong - got.begin() << " of " << got.size() << ", " << problem.problem().text() << " "
          << spec::to_text(problem.spec(), config);
      if (std::string(GetParam().policy) == "check") {
        std::int64_t reported = 0;
        runner_->device().copy_to_host(&reported, first_bad.get(), sizeof(reported));
        EXPECT_EQ(reported, n > 0 && v == 0 ? 0 : n > 1 ? 1 : -1) << spec::to_text(problem.spec(), config);
      }
      ++calls;
      if (HasFailure()) break;
    }
    return calls;
  }

  // At the space's own kind of dims, at a tail with room behind the rows, at pitches that allow no pack, and where hardly anything is
  // to do.
  std::int64_t sweep(const std::vector<spec::Config>& configs) {
    const std::string failure = runner_->build(instance({{"v", 1000}, {"n", 1}, {"h", 512}}), configs);
    EXPECT_EQ(failure, "");
    if (!failure.empty()) return 0;
    std::int64_t calls = 0;
    for (const Dims& dims :
         std::vector<Dims>{{{"v", 1000}, {"n", 333}, {"h", 512}, {"table_pitch", 512}, {"output_pitch", 512}},
                           {{"v", 101}, {"n", 77}, {"h", 511}, {"table_pitch", 512}, {"output_pitch", 528}},
                           {{"v", 101}, {"n", 35}, {"h", 67}, {"table_pitch", 67}, {"output_pitch", 69}},
                           {{"v", 101}, {"n", 600}, {"h", 16}, {"table_pitch", 32}, {"output_pitch", 16}},
                           {{"v", 3}, {"n", 1}, {"h", 4112}, {"table_pitch", 4112}, {"output_pitch", 4112}},
                           {{"v", 0}, {"n", 5}, {"h", 48}, {"table_pitch", 48}, {"output_pitch", 48}},
                           {{"v", 3}, {"n", 0}, {"h", 48}, {"table_pitch", 48}, {"output_pitch", 48}}}) {
      calls += run_all(configs, dims);
      if (HasFailure()) break;
    }
    return calls;
  }

  // The space of a problem so large that persistent blocks take part.
  spec::Space space() const { return spec::Space(instance({{"v", 1000}, {"n", 1 << 20}, {"h", 512}})); }

  std::unique_ptr<test::PlanRunner> runner_;
};

TEST_P(GpuEmbedding, EveryConfigAtItsEdges) {
  const std::vector<spec::Config> configs = space().list();
  ASSERT_GT(configs.size(), 1000u);
  const std::int64_t calls = sweep(configs);
  EXPECT_GT(calls, 5 * static_cast<std::int64_t>(configs.size()));
  std::printf("embedding %s %s %s: %zu configs, %lld calls\n", GetParam().type, GetParam().id_type,
              GetParam().policy, configs.size(), static_cast<long long>(calls));
}

// For compute-sanitizer: one config for each mapping, pack, group of threads and unroll.
TEST_P(GpuEmbedding, OneConfigPerKernelShape) {
  std::vector<spec::Config> configs;
  std::set<std::string> seen;
  const spec::TemplatePtr embedding = spec::find_template("embedding");
  space().for_each([&](const spec::Config& config) {
    std::string shape;
    for (const char* name : {"MAPPING", "PACK", "ACCESS", "THREADS_PER_ROW", "ROWS", "CHUNK_BYTES"})
      shape += config.values[embedding->tunable_index(name)].text() + " ";
    if (seen.insert(shape).second) configs.push_back(config);
    return true;
  });
  EXPECT_GT(configs.size(), 30u);
  EXPECT_GT(sweep(configs), 0);
}

// More than 65,535 rows and 2^32 elements: row numbers and offsets beyond 32 bits.
TEST_P(GpuEmbedding, RowsBeyondFourBillionElements) {
  if (element_bytes() > 2) GTEST_SKIP() << "one- and two-byte elements show it in less memory";
  const Dims dims{
      {"v", 5000}, {"n", 66'003}, {"h", 65'552}, {"table_pitch", 65'552}, {"output_pitch", 65'552}};
  const spec::Instance problem = instance(dims);
  const std::vector<spec::BufferLayout> layouts = problem.buffers(problem.spec().default_config);
  const auto output_bytes = static_cast<std::size_t>(layouts[2].bytes());
  if (runner_->device().free_bytes() < 2 * output_bytes)
    GTEST_SKIP() << "needs " << 2 * output_bytes << " bytes";
  const auto row_bytes = static_cast<std::size_t>(dims.at("h") * element_bytes());
  const Bytes table_bytes = table(static_cast<std::size_t>(layouts[1].bytes()));
  const DeviceBuffer id_buffer = upload(ids(dims.at("n"), dims.at("v"))), table_buffer = upload(table_bytes),
                     output(runner_->device(), output_bytes), first_bad = upload(Bytes(8));
  std::vector<spec::Config> configs;
  std::set<std::string> seen;
  spec::Space(problem).for_each([&](const spec::Config& config) {
    if (seen.insert(config.values[problem.spec().tunable_index("MAPPING")].text()).second)
      configs.push_back(config);
    return true;
  });
  ASSERT_EQ(runner_->build(problem, configs), "");
  for (const spec::Config& config : configs) {
    runner_->device().fill(output.get(), poison, output_bytes, test::PlanRunner::stream);
    runner_->run(problem, config, {id_buffer.get(), table_buffer.get(), output.get(), first_bad.get()});
    Bytes got(row_bytes);
    for (std::int64_t i : {0, 1, 32'759, 32'760, 65'519, 65'520, 65'521, 65'535, 65'536, 66'001, 66'002}) {
      runner_->device().copy_to_host(got.data(), output.get() + static_cast<std::size_t>(i) * row_bytes,
                                     row_bytes);
      const std::int64_t row = source(i, dims.at("v"));
      const Bytes want = row < 0 ? Bytes(row_bytes)
                                 : Bytes(table_bytes.begin() + static_cast<std::ptrdiff_t>(row) *
                                                                   static_cast<std::ptrdiff_t>(row_bytes),
                                         table_bytes.begin() + static_cast<std::ptrdiff_t>(row + 1) *
                                                                   static_cast<std::ptrdiff_t>(row_bytes));
      EXPECT_TRUE(got == want) << "row " << i << " " << spec::to_text(problem.spec(), config);
    }
  }
  EXPECT_GE(configs.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GpuEmbedding,
                         ::testing::Values(Kind{"float", "int", "clamp"},
                                           Kind{"__half", "long long", "check"},
                                           Kind{"__nv_bfloat16", "int", "zero"},
                                           Kind{"unsigned char", "long long", "zero"},
                                           Kind{"double", "long long", "check"}),
                         [](const auto& test) { return std::string("kind") + std::to_string(test.index); });

}  // namespace
}  // namespace warptune
