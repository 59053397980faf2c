// What a cubin says of its kernels before any launch. Reads ELF sections with every access checked: a damaged image gives fewer
// kernels, never a read outside it. Pure function; thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include <warptune/spec/problem.hpp>

namespace warptune::runtime {

// Registers, local memory (frame of spills and local arrays), static shared memory (without what the driver reserves) and the
// launch bound, by lowered kernel name.
std::map<std::string, spec::KernelTraits> cubin_kernels(std::span<const std::byte> image);

}  // namespace warptune::runtime
