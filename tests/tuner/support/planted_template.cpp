#include "tests/tuner/support/planted_template.hpp"

#include <cmath>
#include <limits>

namespace warptune::test {
namespace {

using testing::StubDevice;
using testing::StubLaunch;

constexpr const char* planted_manifest = R"toml([kernel]
name = "planted"
summary = "y = 2 x, in right and wrong ways"
source = "planted.cu"

[problem]
types = { T = ["float"] }
dims = ["n"]

[tunables]
KIND = ["right", "nothing", "half", "head", "adds", "past_end", "before", "nan", "eats_input", "counts", "over_reads",
        "multiples", "crashes"]

[default]
KIND = "right"

[[buffer]]
name = "x"
type = "T"
elements = "n"
role = "in"
fill = "normal"

[[buffer]]
name = "y"
type = "T"
elements = "n"
role = "out"

[[buffer]]
name = "ticket"
type = "unsigned int"
elements = "1"
role = "counter"

[[step]]
entry = "planted<Kind::{KIND}>"
args = ["x", "y", "ticket", { value = "n", type = "long long" }]
grid = ["max(1, ceil_div(n, 256))"]
block = ["256"]

[check]
output = "y"
reference = "planted_reference"
args = ["x", "reference", "scale", { value = "n", type = "long long" }]
grid = ["max(1, ceil_div(n, 256))"]
block = ["256"]

[[check.input]]
fill = "normal"
tolerance = 1e-6

[[check.input]]
fill = "whole"
tolerance = 0

[[check.dims]]
n = "n + 1"

[[check.dims]]
n = "1"

[cost]
bytes = "8 * n"
)toml";

constexpr const char* planted_source = R"cuda(
enum class Kind { right, nothing, half, head, adds, past_end, before, nan, eats_input, counts, over_reads, multiples,
                  crashes };

template <Kind KIND>
__global__ void planted(float* x, float* y, unsigned int* ticket, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (KIND == Kind::crashes && i == 0) *reinterpret_cast<float*>(0x10) = 1.0f;
  if (KIND == Kind::past_end && i == 0) y[n] = 1.0f;
  if (KIND == Kind::before && i == 0) y[-1] = 1.0f;
  if (KIND == Kind::counts && i == 0) *ticket = 1;
  if (i >= n || KIND == Kind::nothing || KIND == Kind::crashes) return;
  if (KIND == Kind::half && i >= n / 2) return;
  if (KIND == Kind::head && i == n - 1) return;
  if (KIND == Kind::multiples && n % 256 != 0 && i == n - 1) return;
  float result = 2.0f * x[i];
  if (KIND == Kind::adds) result += y[i];
  if (KIND == Kind::nan && i == n / 2) result = nanf("");
  if (KIND == Kind::over_reads && i == n - 1) result += 0.0f * x[n];
  y[i] = result;
  if (KIND == Kind::eats_input && i == 0) x[0] = 0.0f;
}

__global__ void planted_reference(const float* x, double* reference, double* scale, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  reference[i] = 2.0 * x[i];
  scale[i] = fabs(reference[i]);
}
)cuda";

constexpr const char* in_place_manifest = R"toml([kernel]
name = "in_place"
summary = "z = 2 z + 1"
source = "in_place.cu"

[problem]
types = { T = ["float"] }
dims = ["n"]

[tunables]
KIND = ["right", "nothing", "head"]

[default]
KIND = "right"

[[buffer]]
name = "z"
type = "T"
elements = "n"
role = "inout"
fill = "normal"

[[step]]
entry = "in_place<Kind::{KIND}>"
args = ["z", { value = "n", type = "long long" }]
grid = ["max(1, ceil_div(n, 256))"]
block = ["256"]

[check]
output = "z"
reference = "in_place_reference"
args = ["z", "reference", "scale", { value = "n", type = "long long" }]
grid = ["max(1, ceil_div(n, 256))"]
block = ["256"]

[[check.input]]
fill = "normal"
tolerance = 1e-6

[[check.dims]]
n = "n + 1"
)toml";

constexpr const char* in_place_source = R"cuda(
enum class Kind { right, nothing, head };

template <Kind KIND>
__global__ void in_place(float* z, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n || KIND == Kind::nothing || (KIND == Kind::head && i == n - 1)) return;
  z[i] = 2.0f * z[i] + 1.0f;
}

__global__ void in_place_reference(const float* z, double* reference, double* scale, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  reference[i] = 2.0 * z[i] + 1.0;
  scale[i] = fabs(2.0 * z[i]) + 1.0;
}
)cuda";

constexpr const char* sum_manifest = R"toml([kernel]
name = "sum"
summary = "y[0] = sum of x"
source = "sum.cu"

[problem]
types = { T = ["float"] }
dims = ["n"]

[tunables]
KIND = ["right", "drops_one", "drops_block"]

[default]
KIND = "right"

[[buffer]]
name = "x"
type = "T"
elements = "n"
role = "in"
fill = "normal"

[[buffer]]
name = "y"
type = "T"
elements = "1"
role = "out"

[[step]]
entry = "sum<Kind::{KIND}>"
args = ["x", "y", { value = "n", type = "long long" }]
grid = ["1"]
block = ["32"]

[check]
output = "y"
reference = "sum_reference"
args = ["x", "reference", "scale", { value = "n", type = "long long" }]
grid = ["1"]
block = ["1"]

[[check.input]]
fill = "normal"
tolerance = 1e-5

[[check.input]]
fill = "whole"
tolerance = 0
)toml";

constexpr const char* sum_source = R"cuda(
enum class Kind { right, drops_one, drops_block };

template <Kind KIND>
__global__ void sum(const float* x, float* y, long long n) {
  float total = 0.0f;
  for (long long i = threadIdx.x; i < n; i += 32) {
    if (KIND == Kind::drops_one && i == n / 3) continue;
    if (KIND == Kind::drops_block && i >= n / 2 && i < n / 2 + 32) continue;
    total += x[i];
  }
  for (int lane = 16; lane > 0; lane /= 2) total += __shfl_xor_sync(0xffffffffu, total, lane);
  if (threadIdx.x == 0) *y = total;
}

__global__ void sum_reference(const float* x, double* reference, double* scale, long long n) {
  for (long long i = 0; i < n; ++i) {
    *reference += x[i];
    *scale += fabs(x[i]);
  }
}
)cuda";

std::string kind_of(const StubLaunch& launch) {
  const std::string argument = testing::template_arguments(launch.name).at(0);
  return argument.substr(argument.rfind(':') + 1);
}

void planted(const StubLaunch& launch, float* x, float* y, unsigned int* ticket, long long n) {
  const std::string kind = kind_of(launch);
  if (kind == "nothing") return;
  const long long end = kind == "half"                                            ? n / 2
                        : kind == "head" || (kind == "multiples" && n % 256 != 0) ? n - 1
                                                                                  : n;
  for (long long i = 0; i < end; ++i) y[i] = kind == "adds" ? y[i] + 2 * x[i] : 2 * x[i];
  if (kind == "nan" && n > 0) y[n / 2] = std::numeric_limits<float>::quiet_NaN();
  if (kind == "over_reads" && n > 0) y[n - 1] += 0 * x[n];
  if (kind == "past_end") y[n] = 1;
  if (kind == "before") y[-1] = 1;
  if (kind == "counts") *ticket = 1;
  if (kind == "eats_input" && n > 0) x[0] = 0;
}

void sum(const StubLaunch& launch, const float* x, float* y, long long n) {
  const std::string kind = kind_of(launch);
  double total = 0;
  for (long long i = 0; i < n; ++i) {
    if (kind == "drops_one" && i == n / 3) continue;
    if (kind == "drops_block" && i >= n / 2 && i < n / 2 + 32) continue;
    total += x[i];
  }
  *y = static_cast<float>(total);
}

}  // namespace

spec::TemplatePtr planted_template() {
  return spec::parse_template(planted_manifest, planted_source, "planted.toml");
}
spec::TemplatePtr in_place_template() {
  return spec::parse_template(in_place_manifest, in_place_source, "in_place.toml");
}
spec::TemplatePtr sum_template() { return spec::parse_template(sum_manifest, sum_source, "sum.toml"); }

spec::Problem planted_problem(std::int64_t n) {
  spec::Problem problem;
  problem.types = {{"T", "float"}};
  problem.dims = {{"n", n}};
  return problem;
}

spec::Config planted_config(std::string_view kind) { return {{spec::Value::word(kind)}}; }

void define_planted_kernels(StubDevice& device) {
  device.define<float*, float*, unsigned int*, long long>("planted", planted);
  device.define<const float*, double*, double*, long long>(
      "planted_reference",
      [](const StubLaunch&, const float* x, double* reference, double* scale, long long n) {
        for (long long i = 0; i < n; ++i) {
          reference[i] = 2.0 * x[i];
          scale[i] = std::abs(reference[i]);
        }
      });
  device.define<float*, long long>("in_place", [](const StubLaunch& launch, float* z, long long n) {
    const std::string kind = kind_of(launch);
    const long long end = kind == "nothing" ? 0 : kind == "head" ? n - 1 : n;
    for (long long i = 0; i < end; ++i) z[i] = 2 * z[i] + 1;
  });
  device.define<const float*, double*, double*, long long>(
      "in_place_reference",
      [](const StubLaunch&, const float* z, double* reference, double* scale, long long n) {
        for (long long i = 0; i < n; ++i) {
          reference[i] = 2.0 * z[i] + 1.0;
          scale[i] = std::abs(2.0 * z[i]) + 1.0;
        }
      });
  device.define<const float*, float*, long long>("sum", sum);
  device.define<const float*, double*, double*, long long>(
      "sum_reference", [](const StubLaunch&, const float* x, double* reference, double* scale, long long n) {
        for (long long i = 0; i < n; ++i) {
          *reference += x[i];
          *scale += std::abs(x[i]);
        }
      });
}

}  // namespace warptune::test
