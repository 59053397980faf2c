// A small manifest for tests, and ways to change one line of it.
#pragma once

#include <stdexcept>
#include <string>

#include <warptune/spec/catalog.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::spec::test {

inline const std::string sample_manifest = R"toml([kernel]
name = "scale"
summary = "y[i] = 2 x[i]"
source = "scale.cu"

[problem]
types = { T = ["float", "__half"] }
dims = ["n", { name = "width", key = true }]
attributes = { order = ["sorted"] }

[tunables]
THREADS = [64, 128, 256]
PACK = [1, 2, 4]
MODE = ["plain", { value = "quick", class = "approx" }]

[default]
THREADS = 128
PACK = 1
MODE = "plain"

[let]
tile = "THREADS * PACK"
blocks = "max(1, ceil_div(n, tile))"

[[constraint]]
expression = "PACK * sizeof(T) <= 8"
why = "one load moves at most 8 bytes"

[[buffer]]
name = "x"
type = "T"
elements = "n * width"
role = "in"
alignment = "PACK * sizeof(T)"

[[buffer]]
name = "y"
type = "T"
elements = "n * width"
role = "out"

[[step]]
entry = "scale<{T}, {THREADS}, {PACK}>"
args = ["x", "y", { value = "n", type = "long long" }]
grid = ["blocks"]
block = ["THREADS"]

[check]
output = "y"
reference = "scale_reference<{T}>"
args = ["x", "reference", "scale", { value = "n", type = "long long" }]
grid = ["1"]
block = ["256"]

[[check.input]]
fill = "normal"
tolerance = 1e-5
)toml";

// The sample with the only occurrence of `from` replaced.
inline std::string changed(const std::string& from, const std::string& to,
                           std::string text = sample_manifest) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
    throw std::logic_error("test text must occur once: " + from);
  }
  return text.replace(at, from.size(), to);
}

inline TemplatePtr parse(const std::string& manifest) {
  return parse_template(manifest, "// source", "scale.toml");
}

inline DeviceTraits h200() {
  DeviceTraits device;
  device.model = "NVIDIA H200";
  device.compute_capability = 90;
  device.sm_count = 132;
  device.max_shared_bytes = 227 * 1024;
  device.shared_bytes_per_sm = 228 * 1024;
  device.reserved_shared_bytes = 1024;
  return device;
}

inline Problem sample_problem(std::int64_t n = 1000, const std::string& type = "float") {
  Problem problem;
  problem.types["T"] = type;
  problem.dims = {{"n", n}, {"width", 1}};
  return problem;
}

inline Instance sample_instance(const std::string& manifest = sample_manifest, std::int64_t n = 1000) {
  return {parse(manifest), sample_problem(n), h200()};
}

// The first line of an error that `action` throws; "" if it throws none.
template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.full_text();
  }
  return {};
}

}  // namespace warptune::spec::test
