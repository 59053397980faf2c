// What a run found, in one paragraph that claims no more than was measured. Pure function, thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include <warptune/db/records.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/tuner/tune.hpp>

namespace warptune::tuner {

// Whether the manifest fills an operand that is read with zeros or ones: memory and arithmetic draw less power on them.
bool has_constant_operands(const spec::TemplateSpec& spec);

// `raced`: candidates of the deciding race. Uses winners, counts, examples, end, neighbours, reused and interrupted of
// `result`.
std::string verdict(const spec::Instance& instance, const TuneOptions& options, const TuneResult& result,
                    std::int64_t raced, db::Origin origin);

}  // namespace warptune::tuner
