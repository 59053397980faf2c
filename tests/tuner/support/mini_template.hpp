// A small kernel template for tests of the tuner: 24 points, of which 8 (float) or 12 (half) are valid and
// exact.
#pragma once

#include <cstdint>
#include <string>

#include <warptune/spec/catalog.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::test {

// `more`: appended to the manifest, e.g. another [[constraint]].
spec::TemplatePtr mini_template(const std::string& more = "");

// Ten tunables of eight values each: 2^30 points, all valid. `more`: constraints.
spec::TemplatePtr huge_template(const std::string& more = "");

// The traits of an H200, as far as constraints look at them.
spec::DeviceTraits h200();

spec::Problem mini_problem(const std::string& type = "float", std::int64_t n = 1000);

// Config of the mini template by values.
spec::Config mini_config(std::int64_t threads, std::int64_t pack, const std::string& mode = "plain");

}  // namespace warptune::test
