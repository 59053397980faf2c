// Operands that a caller brings, instead of values made up as the manifest says.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include <warptune/spec/instance.hpp>

namespace warptune::tuner {

// By the name of a buffer whose role is in or inout: all its bytes in host memory, in the layout that the kernel reads, the padding
// of pitched rows included. Buffers that are not named are filled as the manifest says.
using HostOperands = std::map<std::string, std::span<const std::byte>>;

// Errors: bad_input, naming the buffer, where there is none of that name to be read, or its size is another.
void require_fitting(const spec::Instance& instance, const HostOperands& operands);

}  // namespace warptune::tuner
