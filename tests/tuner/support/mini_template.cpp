#include "tests/tuner/support/mini_template.hpp"

namespace warptune::test {
namespace {

constexpr const char* head = R"toml([kernel]
name = "mini"
summary = "y = x"
source = "mini.cu"

[problem]
types = { T = ["float", "__half"] }
dims = ["n"]
)toml";

constexpr const char* mini_tunables = R"toml(
[tunables]
THREADS = [32, 64, 128, 256]
PACK = [1, 2, 4]
MODE = ["plain", { value = "loose", class = "approx" }]

[default]
THREADS = 64
PACK = 1
MODE = "plain"

[[constraint]]
expression = "PACK * sizeof(T) <= 8"
why = "one load moves at most 8 bytes"
)toml";

constexpr const char* rest = R"toml(
[[buffer]]
name = "x"
type = "T"
elements = "n"
role = "in"
fill = "normal"
alignment = "PACK * sizeof(T)"

[[buffer]]
name = "y"
type = "T"
elements = "n"
role = "out"

[[step]]
entry = "mini<{T}, {THREADS}, {PACK}>"
args = ["x", "y", { value = "n", type = "long long" }]
grid = ["max(1, ceil_div(n, THREADS * PACK))"]
block = ["THREADS"]

[check]
output = "y"
reference = "mini_reference<{T}>"
args = ["x", "reference", "scale", { value = "n", type = "long long" }]
grid = ["1"]
block = ["256"]

[[check.input]]
fill = "normal"
tolerance = 1e-5

[cost]
bytes = "2 * n * sizeof(T)"
)toml";

constexpr const char* source = R"toml(
template <typename T, int threads, int pack> __global__ void mini(const T* x, T* y, long long n) {}
template <typename T> __global__ void mini_reference(const T* x, double* reference, double* scale, long long n) {}
)toml";

}  // namespace

spec::TemplatePtr mini_template(const std::string& more) {
  return spec::parse_template(std::string(head) + mini_tunables + rest + more, source, "mini.toml");
}

spec::TemplatePtr huge_template(const std::string& more) {
  std::string tunables =
      "\n[tunables]\nTHREADS = [32, 64, 96, 128, 160, 192, 224, 256]\nPACK = [1, 2, 4, 8, 16, 32, 64, 128]\n";
  std::string defaults = "\n[default]\nTHREADS = 64\nPACK = 1\n";
  for (int i = 0; i < 8; ++i) {
    tunables += "EXTRA_" + std::to_string(i) + " = [0, 1, 2, 3, 4, 5, 6, 7]\n";
    defaults += "EXTRA_" + std::to_string(i) + " = 0\n";
  }
  return spec::parse_template(std::string(head) + tunables + defaults + rest + more, source, "huge.toml");
}

spec::DeviceTraits h200() {
  spec::DeviceTraits traits;
  traits.model = "NVIDIA H200";
  traits.compute_capability = 90;
  traits.sm_count = 132;
  traits.max_shared_bytes = 227 * 1024;
  traits.shared_bytes_per_sm = 228 * 1024;
  traits.reserved_shared_bytes = 1024;
  traits.l2_bytes = std::int64_t{60} << 20;
  traits.memory_bytes = std::int64_t{140} << 30;
  return traits;
}

spec::Problem mini_problem(const std::string& type, std::int64_t n) {
  spec::Problem problem;
  problem.types.emplace("T", type);
  problem.dims.emplace("n", n);
  return problem;
}

spec::Config mini_config(std::int64_t threads, std::int64_t pack, const std::string& mode) {
  return {{spec::Value::integer(threads), spec::Value::integer(pack), spec::Value::word(mode)}};
}

}  // namespace warptune::test
