#include "tests/runtime/dispatch_fixture.hpp"

#include <unistd.h>
#include <atomic>
#include <fstream>
#include <numeric>

#include <warptune/runtime/problem_key.hpp>

namespace warptune::testing {

const char* const tally_manifest = R"toml(
[kernel]
name = "tally"
summary = "y = sum of x"
source = "tally.cu"

[problem]
types = { T = ["float", "double"] }
dims = ["n", { name = "k", key = true }]

[tunables]
BLOCK = [32, 64, 128, 256, 2048]
PACK = [1, 2, 4]
MODE = ["one", "two", "ticket", { value = "fast", class = "approx" }]

[default]
BLOCK = 64
PACK = 1
MODE = "one"

[let]
blocks = "max(1, ceil_div(n * k, BLOCK))"

[[constraint]]
expression = "n % PACK == 0"
why = "packs must divide n"

[[buffer]]
name = "x"
type = "T"
elements = "n * k"
role = "in"
fill = "normal"
alignment = "PACK * sizeof(T)"

[[buffer]]
name = "y"
type = "T"
elements = "1"
role = "out"

[[buffer]]
name = "partials"
type = "double"
elements = "MODE == 'two' ? blocks : 0"
role = "workspace"

[[buffer]]
name = "ticket"
type = "unsigned int"
elements = "MODE == 'ticket' ? 1 : 0"
role = "counter"

[[step]]
memset = "y"
byte = 255

[[step]]
entry = "tally<{T}, {BLOCK}, {PACK}, Mode::{MODE}>"
args = ["x", "y", "partials", "ticket",
  { value = "n * k", type = "long long" }, { value = "BLOCK", type = "int" }]
grid = ["blocks"]
block = ["BLOCK"]

[[step]]
entry = "tally_finish"
args = ["partials", "y", { value = "blocks", type = "long long" }]
grid = ["1"]
block = ["32"]
programmatic = true
when = "MODE == 'two'"

[check]
output = "y"
reference = "tally_reference<{T}>"
args = ["x", "reference", "scale", { value = "n * k", type = "long long" }]
grid = ["1"]
block = ["1"]

[[check.input]]
fill = "normal"
tolerance = 1e-5
)toml";

spec::TemplatePtr tally() {
  return spec::parse_template(tally_manifest, "// the stub's bodies stand for it\n", "tally.toml");
}

void define_tally(StubDevice& device) {
  device.define<const float*, float*, double*, unsigned int*, long long, int>(
      "tally", [](const StubLaunch& launch, const float* x, float* y, double* partials, unsigned int* ticket,
                  long long count, int block) {
        const bool two = launch.name.find("Mode::two") != std::string::npos;
        if (launch.name.find("Mode::ticket") != std::string::npos) {
          // A ticket that is not zero at the start shows a counter that was shared or never cleared.
          *y = *ticket == 0 ? std::accumulate(x, x + count, 0.0f) : -1.0f;
        } else if (two) {
          for (unsigned int b = 0; b < launch.grid.x; ++b) {
            const long long end = std::min<long long>(count, (static_cast<long long>(b) + 1) * block);
            partials[b] = std::accumulate(x + static_cast<long long>(b) * block, x + end, 0.0);
          }
        } else {
          *y = std::accumulate(x, x + count, 0.0f);
        }
      });
  device.define<const double*, float*, long long>(
      "tally_finish", [](const StubLaunch&, const double* partials, float* y, long long count) {
        *y = static_cast<float>(std::accumulate(partials, partials + count, 0.0));
      });
}

db::NamedValues tally_config(std::int64_t block, std::int64_t pack, const std::string& mode) {
  return {{"BLOCK", block}, {"PACK", pack}, {"MODE", mode}};
}

db::StoredWinner tally_winner(const TallyRow& row, const spec::DeviceTraits& traits) {
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", row.n}, {"k", row.k}};
  db::StoredWinner stored;
  stored.problem = runtime::problem_key(spec::Instance(tally(), problem, traits), row.policy);
  stored.winner.config = row.config;
  stored.winner.alignment_bytes = row.alignment_bytes;
  stored.winner.verified_ragged = row.verified_ragged;
  stored.winner.time_ns = row.time_ns;
  stored.winner.default_config = tally_config(64, 1, "one");
  stored.winner.complete = true;
  const StubDevice device(traits);
  stored.toolchain = {device.info().driver_version, device.info().driver_name, StubCompiler().version(),
                      StubCompiler().headers_hash(), "0.1.0"};
  return stored;
}

DispatchTest::DispatchTest() {
  static std::atomic<int> count = 0;
  folder_ = std::filesystem::temp_directory_path() /
            ("warptune-dispatch-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
  std::filesystem::create_directories(folder_);
  std::ofstream(manifest()) << tally_manifest;
  std::ofstream(folder_ / "tally.cu") << "// the stub's bodies stand for it\n";
  define_tally(*device_);
}

DispatchTest::~DispatchTest() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void DispatchTest::store(const std::vector<db::StoredWinner>& winners) {
  db::Store file = db::Store::open(database(), db::OpenMode::create);
  for (const db::StoredWinner& stored : winners) {
    db::RunInfo info;
    info.toolchain = stored.toolchain;
    info.origin = stored.origin;
    info.strategy = "exhaustive";
    const std::int64_t run = file.begin_run(stored.problem, info);
    db::RunEnd end;
    end.complete = stored.winner.complete;
    file.end_run(run, end, {stored.winner});
  }
}

runtime::Runtime DispatchTest::open(double nearest_bound_log2) {
  return runtime::Runtime::open(database(), options(nearest_bound_log2), device_);
}

runtime::RuntimeOptions DispatchTest::options(double nearest_bound_log2) {
  runtime::RuntimeOptions options;
  options.cache_folder = folder_ / "cache";
  options.compiler = compiler_;
  options.nearest_bound_log2 = nearest_bound_log2;
  options.warn = [this](const std::string& line) {
    const std::scoped_lock lock(mutex_);
    lines_.push_back(line);
  };
  return options;
}

std::vector<std::string> DispatchTest::lines(const std::string& part) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> found;
  for (const std::string& line : lines_) {
    if (line.find(part) != std::string::npos) found.push_back(line);
  }
  return found;
}

TallyOperands::TallyOperands(StubDevice& device, std::int64_t elements, std::int64_t offset)
    : device_(device),
      x_(device, static_cast<std::size_t>(elements + offset + 1) * sizeof(float)),
      y_(device, sizeof(float)),
      offset_(offset) {
  const std::vector<float> ones(static_cast<std::size_t>(elements), 1.0f);
  device.copy_to_device(x_.get() + static_cast<std::uint64_t>(offset) * sizeof(float), ones.data(),
                        ones.size() * sizeof(float));
}

std::vector<void*> TallyOperands::pointers() const {
  return {reinterpret_cast<void*>(x_.get() + static_cast<std::uint64_t>(offset_) * sizeof(float)),
          reinterpret_cast<void*>(y_.get())};
}

float TallyOperands::result() const {
  float value = 0;
  device_.copy_to_host(&value, y_.get(), sizeof(value));
  return value;
}

runtime::Match run_tally(const runtime::Kernel& kernel, const TallyOperands& operands, std::int64_t n,
                         std::int64_t k, runtime::StreamHandle stream) {
  const std::int64_t dims[] = {n, k};
  const std::vector<void*> pointers = operands.pointers();
  return kernel.launch(stream, dims, pointers);
}

}  // namespace warptune::testing
