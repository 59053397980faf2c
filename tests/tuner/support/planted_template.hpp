// A template whose configs are one right kernel and many wrong ones, for the stub device and for a real one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <warptune/spec/catalog.hpp>
#include <warptune/spec/instance.hpp>

#include "tests/support/stub_device.hpp"

namespace warptune::test {

// y[i] = 2 x[i]. KIND says how a config goes about it:
//   right        as it should
//   nothing      writes nothing
//   half         writes the first half
//   head         writes all but the last element
//   adds         y[i] += 2 x[i]
//   past_end     right, and writes y[n]
//   before       right, and writes y[-1]
//   nan          right, but y[n / 2] is a NaN
//   eats_input   right, and writes x[0]
//   counts       right, and leaves the counter at one
//   over_reads   adds 0 * x[n] to the last element
//   multiples    right where n is a multiple of 256, else loses the last element
//   crashes      accesses an address that is not its own
inline constexpr std::array<std::string_view, 11> wrong_kinds = {
    "nothing", "half",       "head",   "adds",       "past_end", "before",
    "nan",     "eats_input", "counts", "over_reads", "crashes"};

spec::TemplatePtr planted_template();
// z[i] = 2 z[i] + 1 in place. KIND: right, nothing, head.
spec::TemplatePtr in_place_template();
// y[0] = sum of x[i] in float: KIND right, or drops_one (loses x[n / 3]), drops_block (loses 32 from n / 2
// on).
spec::TemplatePtr sum_template();

spec::Problem planted_problem(std::int64_t n);
spec::Config planted_config(std::string_view kind);

// Host bodies for all kernels of these templates but `crashes`.
void define_planted_kernels(testing::StubDevice& device);

}  // namespace warptune::test
