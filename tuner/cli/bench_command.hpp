// The two things that `warptune bench` compares: kernels on a GPU, and search strategies on recorded spaces.
#pragma once

#include <vector>

#include "tuner/cli/command.hpp"

namespace warptune::tuner {

// Both return the exit code; errors as Command::run.
int bench_kernel(const Arguments& arguments, const Context& context);
int bench_search(const Arguments& arguments, const Context& context);

std::vector<OptionSpec> kernel_bench_options();
std::vector<OptionSpec> search_bench_options();

}  // namespace warptune::tuner
