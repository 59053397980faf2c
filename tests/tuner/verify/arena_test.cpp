// Where guarded buffers lie.
#include "tuner/verify/arena.hpp"

#include <array>

#include <gtest/gtest.h>

#include <warptune/base/error.hpp>

#include "tests/tuner/support/planted_template.hpp"
#include "tuner/verify/audit_builder.hpp"

namespace warptune::tuner {
namespace {

using spec::BufferRole;

// The planted template's buffers: x (in), y (out), ticket (counter).
const std::vector<spec::BufferLayout> layouts = {{1001, 4, 4}, {7, 4, 4}, {1, 4, 4}};

TEST(Arena, GuardsTouchTheBytesOfEveryBuffer) {
  const spec::TemplatePtr spec = test::planted_template();
  const ArenaLayout arena = lay_out(*spec, layouts, std::array{BufferRole::in, BufferRole::out});
  ASSERT_EQ(arena.buffers.size(), 2u);
  ASSERT_EQ(arena.guards.size(), 3u);
  EXPECT_EQ(arena.buffers[0].offset, guard_bytes);
  EXPECT_EQ(arena.buffers[0].bytes, 4004u);
  EXPECT_EQ(arena.buffers[1].index, 1u);
  EXPECT_EQ(arena.buffers[1].offset % buffer_alignment_bytes, 0u);
  // Guards and buffers tile the arena without a gap.
  std::size_t position = 0;
  for (std::size_t i = 0; i < arena.guards.size(); ++i) {
    EXPECT_EQ(arena.guards[i].offset, position);
    EXPECT_GE(arena.guards[i].bytes, guard_bytes);
    position += arena.guards[i].bytes;
    if (i == arena.buffers.size()) break;
    EXPECT_EQ(arena.buffers[i].offset, position);
    position += arena.buffers[i].bytes;
  }
  EXPECT_EQ(arena.bytes, position);
}

TEST(Arena, GuardsAreNamedAfterTheirBuffers) {
  const spec::TemplatePtr spec = test::planted_template();
  const ArenaLayout arena = lay_out(*spec, layouts, std::array{BufferRole::in, BufferRole::out});
  EXPECT_EQ(arena.guard_text(*spec, 0), "before 'x'");
  EXPECT_EQ(arena.guard_text(*spec, 1), "past the end of 'x'");
  EXPECT_EQ(arena.guard_text(*spec, 2), "past the end of 'y'");
}

TEST(Arena, NoBufferOfTheRolesIsAnEmptyArena) {
  const ArenaLayout arena = lay_out(*test::planted_template(), layouts, std::array{BufferRole::workspace});
  EXPECT_EQ(arena.bytes, 0u);
  EXPECT_TRUE(arena.guards.empty());
}

TEST(Arena, BufferOfNoElementsKeepsItsGuards) {
  std::vector<spec::BufferLayout> empty = layouts;
  empty[0].elements = 0;
  const ArenaLayout arena = lay_out(*test::planted_template(), empty, std::array{BufferRole::in});
  EXPECT_EQ(arena.guards.size(), 2u);
  EXPECT_EQ(arena.guards[1].offset, arena.buffers[0].offset);
}

TEST(AuditBuilder, SaysWhenThereAreTooManyRanges) {
  AuditBuilder audit;
  for (int i = 0; i < device::max_audit_ranges; ++i) audit.add_zero(4096, 8);
  EXPECT_EQ(audit.list().count, device::max_audit_ranges);
  EXPECT_THROW(audit.add_zero(4096, 8), Error);
}

}  // namespace
}  // namespace warptune::tuner
