// Where buffers lie in a guarded stretch of memory: a guard before the first, one behind each, nothing between a buffer's last
// byte and its guard. Guards and poison are 0xFF, a NaN in every floating type, so that a read past the end shows in a sum.
// Pure; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <warptune/spec/instance.hpp>

namespace warptune::tuner {

// Wide enough that the farthest overrun of one block's tile, a few ten KiB, meets a guard and not the next buffer.
inline constexpr std::size_t guard_bytes = 64 * 1024;
// Every buffer starts at a multiple of this, as allocations do.
inline constexpr std::size_t buffer_alignment_bytes = 256;

struct ArenaLayout {
  struct Buffer {
    std::size_t index = 0;   // into TemplateSpec::buffers
    std::size_t offset = 0;  // bytes from the arena's start
    std::size_t bytes = 0;
  };
  struct Guard {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  std::vector<Buffer> buffers;  // in the template's order
  std::vector<Guard> guards;    // guards[i] lies before buffers[i], guards[i + 1] behind it
  std::size_t bytes = 0;        // of the whole arena

  // Name of guard `number` for people: "before 'a'", "past the end of 'a'".
  std::string guard_text(const spec::TemplateSpec& spec, std::size_t number) const;
};

// The buffers whose role is among `roles`, guarded. `layouts`: one per buffer of the template.
ArenaLayout lay_out(const spec::TemplateSpec& spec, std::span<const spec::BufferLayout> layouts,
                    std::span<const spec::BufferRole> roles);

// `bytes` up to the next multiple of buffer_alignment_bytes.
constexpr std::size_t aligned_bytes(std::size_t bytes) {
  return (bytes + buffer_alignment_bytes - 1) / buffer_alignment_bytes * buffer_alignment_bytes;
}

}  // namespace warptune::tuner
