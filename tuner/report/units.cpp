#include "tuner/report/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace warptune::tuner {
namespace {

struct Unit {
  double size;
  const char* name;
};

// The largest unit not above `value`, or the smallest one; units ascend.
std::string scaled(double value, std::span<const Unit> units) {
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (std::abs(value) >= units[i].size) chosen = i;
  const double shown = value / units[chosen].size;
  const int decimals = std::abs(shown) >= 100 ? 0 : std::abs(shown) >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", shown, decimals, units[chosen].name);
}

constexpr std::array<Unit, 4> times = {{{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<Unit, 4> rates = {{{1, "B/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}};
constexpr std::array<Unit, 4> sizes = {
    {{1, "B"}, {1024.0, "KiB"}, {1024.0 * 1024, "MiB"}, {1024.0 * 1024 * 1024, "GiB"}}};

}  // namespace

std::string time_text(double time_ns) { return scaled(time_ns, times); }
std::string rate_text(double bytes_per_s) { return scaled(bytes_per_s, rates); }
std::string factor_text(double factor) { return fmt::format("{:.2f}x", factor); }
std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string bytes_text(std::int64_t bytes) { return scaled(static_cast<double>(bytes), sizes); }

std::int64_t age_s(std::int64_t then_unix_s, std::int64_t now_unix_s) {
  if (then_unix_s >= now_unix_s) return 0;
  const std::uint64_t apart =
      static_cast<std::uint64_t>(now_unix_s) - static_cast<std::uint64_t>(then_unix_s);
  return static_cast<std::int64_t>(std::min<std::uint64_t>(apart, INT64_MAX));
}

std::string age_text(std::int64_t seconds) {
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 120 * 60) return fmt::format("{} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86400);
}

}  // namespace warptune::tuner
