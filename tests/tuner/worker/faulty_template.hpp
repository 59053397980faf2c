// A template whose configs misbehave on the stub device, and the compiler and device that a test worker hosts for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>
#include <warptune/spec/catalog.hpp>

namespace warptune::test {

// y[i] = 2 x[i]. What else a config does, by KIND:
//   right                        nothing
//   half                         writes the first half only
//   segfault, aborts, exits      the process ends by SIGSEGV, by SIGABRT, with exit code 7
//   kills                        the process is killed by SIGKILL, each time
//   kills_once                   the same, the first time only
//   hangs                        never returns
//   slow                         takes 10 ms per launch
//   babbles                      noise on the worker's socket, then goes on
//   lies                         answers the request itself, with a frame that is no message
//   illegal                      a CUDA error after which the context is lost
//   refused                      a CUDA error that leaves the context usable
//   late                         ends by SIGSEGV once the file `late` is in the folder
//   c_error, c_segfault, c_hangs, c_memory   the compiler refuses it, dies of it, never returns, eats memory
//   c_hoards                                 right, and the compiler keeps 200 MiB until its process ends
//   picky                        wrong where x is 12345, which no fill gives
// VARIANT tells configs of a kind apart: 0 to 3.
spec::TemplatePtr faulty_template();
// The same as files in a folder, for the program. `kinds`: the values of KIND, quoted and separated by commas, the
// default first; empty: all.
void write_faulty_template(const std::filesystem::path& folder, const std::string& kinds = "");
spec::Problem faulty_problem(std::int64_t n = 1000);
spec::Config faulty_config(std::string_view kind, std::int64_t variant = 0);

// `folder`: what is remembered from process to process. `ordinal`: 7 is another model than the others.
std::shared_ptr<runtime::Device> faulty_device(const std::filesystem::path& folder, int ordinal);
std::shared_ptr<runtime::Compiler> faulty_compiler();

}  // namespace warptune::test
