#include <warptune/spec/element_type.hpp>
#include <warptune/spec/problem.hpp>

#include <warptune/base/error.hpp>

namespace warptune::spec {
namespace {

struct Limit {
  std::string_view name;
  std::int64_t (*get)(const DeviceTraits&);
};

constexpr std::int64_t bytes_per_gib = std::int64_t{1} << 30;

constexpr Limit limits[] = {
    {"compute_capability", [](const DeviceTraits& d) -> std::int64_t { return d.compute_capability; }},
    {"sm_count", [](const DeviceTraits& d) -> std::int64_t { return d.sm_count; }},
    {"warp_size", [](const DeviceTraits& d) -> std::int64_t { return d.warp_size; }},
    {"max_threads_per_block", [](const DeviceTraits& d) -> std::int64_t { return d.max_threads_per_block; }},
    {"max_threads_per_sm", [](const DeviceTraits& d) -> std::int64_t { return d.max_threads_per_sm; }},
    {"max_blocks_per_sm", [](const DeviceTraits& d) -> std::int64_t { return d.max_blocks_per_sm; }},
    {"registers_per_sm", [](const DeviceTraits& d) -> std::int64_t { return d.registers_per_sm; }},
    {"max_shared_bytes", [](const DeviceTraits& d) { return d.max_shared_bytes; }},
    {"shared_bytes_per_sm", [](const DeviceTraits& d) { return d.shared_bytes_per_sm; }},
    {"reserved_shared_bytes", [](const DeviceTraits& d) { return d.reserved_shared_bytes; }},
    {"l2_bytes", [](const DeviceTraits& d) { return d.l2_bytes; }},
    {"memory_bytes", [](const DeviceTraits& d) { return d.memory_bytes; }},
    {"memory_gib",
     [](const DeviceTraits& d) { return (d.memory_bytes + bytes_per_gib / 2) / bytes_per_gib; }},
    {"max_grid_x", [](const DeviceTraits& d) { return d.max_grid_x; }},
    {"max_grid_y", [](const DeviceTraits& d) { return d.max_grid_y; }},
    {"max_grid_z", [](const DeviceTraits& d) { return d.max_grid_z; }},
};

}  // namespace

std::string Numerics::key() const {
  if (approx && nondeterministic) return "approx+nondeterministic";
  if (approx) return "approx";
  return nondeterministic ? "nondeterministic" : "exact";
}

Numerics Numerics::parse(std::string_view key) {
  for (int bits = 0; bits < 4; ++bits) {
    const Numerics candidate{(bits & 1) != 0, (bits & 2) != 0};
    if (candidate.key() == key) return candidate;
  }
  throw Error(ErrorKind::bad_input, "unknown numerics class '" + std::string(key) + "'",
              "known: exact, approx, nondeterministic, approx+nondeterministic");
}

std::string Problem::text() const {
  std::string text;
  auto append = [&text](std::string_view name, std::string_view value) {
    if (!text.empty()) text += ' ';
    text.append(name).append("=").append(value);
  };
  for (const auto& [name, type] : types) {
    const auto known = find_element_type(type);
    append(name, known ? known->alias : std::string_view(type));
  }
  for (const auto& [name, size] : dims) append(name, std::to_string(size));
  for (const auto& [name, word] : attributes) {
    if (word != "any") append(name, word);
  }
  if (allowed != Numerics{}) append("numerics", allowed.key());
  return text;
}

std::optional<std::int64_t> DeviceTraits::limit(std::string_view name) const {
  for (const Limit& candidate : limits) {
    if (candidate.name == name) return candidate.get(*this);
  }
  return std::nullopt;
}

const std::vector<std::string>& device_limit_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Limit& limit : limits) result.emplace_back(limit.name);
    return result;
  }();
  return names;
}

}  // namespace warptune::spec
