// What a run found, in one paragraph that claims no more than was measured. Pure function, thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include <warptune/db/records.hpp>
#include <warptune/spec/instance.hpp>
#include <warptune/tuner/host_operands.hpp>
#include <warptune/tuner/tune.hpp>

namespace warptune::tuner {

// Whether an operand that is read holds one value throughout, as memory and arithmetic then draw less power: the manifest fills
// it with zeros or ones, or `brought`, which is timed instead of the fill, has several elements and all are equal.
bool has_constant_operands(const spec::Instance& instance, const HostOperands& brought = {});

// `raced`: candidates of the deciding race. Uses winners, counts, examples, end, neighbours, reused and interrupted of
// `result`.
std::string verdict(const spec::Instance& instance, const TuneOptions& options, const TuneResult& result,
                    std::int64_t raced, db::Origin origin);

}  // namespace warptune::tuner
