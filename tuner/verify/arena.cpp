#include "tuner/verify/arena.hpp"

#include <algorithm>

namespace warptune::tuner {

std::string ArenaLayout::guard_text(const spec::TemplateSpec& spec, std::size_t number) const {
  if (number == 0) return "before '" + spec.buffers[buffers.front().index].name + "'";
  return "past the end of '" + spec.buffers[buffers[number - 1].index].name + "'";
}

ArenaLayout lay_out(const spec::TemplateSpec& spec, std::span<const spec::BufferLayout> layouts,
                    std::span<const spec::BufferRole> roles) {
  ArenaLayout result;
  std::size_t end = 0;  // of the last buffer
  for (std::size_t i = 0; i < spec.buffers.size(); ++i) {
    if (std::find(roles.begin(), roles.end(), spec.buffers[i].role) == roles.end()) continue;
    const std::size_t start = aligned_bytes(end + guard_bytes);
    const auto bytes = static_cast<std::size_t>(layouts[i].bytes());
    result.guards.push_back({end, start - end});
    result.buffers.push_back({i, start, bytes});
    end = start + bytes;
  }
  if (result.buffers.empty()) return result;
  result.bytes = aligned_bytes(end + guard_bytes);
  result.guards.push_back({end, result.bytes - end});
  return result;
}

}  // namespace warptune::tuner
