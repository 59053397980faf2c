// Many kernels of one template through NVRTC, in batches on two threads. For tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <warptune/runtime/compiler.hpp>
#include <warptune/spec/instance.hpp>

namespace warptune::test {

// NVRTC for an architecture; null, and why, where it is missing or does not know the architecture.
std::shared_ptr<runtime::Compiler> compiler_for(const std::string& architecture, std::string* why);

// One result per entry, in no particular order.
std::vector<runtime::CompileResult> compile_all(runtime::Compiler& compiler, const spec::Instance& instance,
                                                const std::vector<std::string>& entries,
                                                const std::string& architecture);

}  // namespace warptune::test
