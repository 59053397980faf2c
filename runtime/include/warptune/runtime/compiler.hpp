// Source to machine code. NVRTC stands behind Compiler; tests put their own there. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <warptune/spec/instance.hpp>
#include <warptune/spec/problem.hpp>

namespace warptune::runtime {

// One program: a source and the name expressions wanted from it.
struct CompileRequest {
  std::string source;
  std::string program_name;                    // shown in logs, e.g. "dot.cu"
  std::vector<std::string> entries;            // name expressions
  std::vector<std::string> options;            // beyond architecture, standard and toolkit includes
  std::map<std::string, std::string> headers;  // the template's own, by include name
  std::string architecture;  // "sm_90": machine code; "compute_90": PTX that ends in a zero byte
};

using Image = std::shared_ptr<const std::vector<std::byte>>;

// One kernel of a compiled program.
struct CompiledKernel {
  std::string entry;
  std::string lowered_name;
  Image image;  // may hold other kernels too
  spec::KernelTraits traits;
};

// Why there is no kernel.
enum class CompileFault {
  source,         // the compiler refuses it
  timed_out,      // it took longer than it may
  out_of_memory,  // it needed more memory than it may
  crashed,        // the compiler died of it
};

// Outcome for one entry: a kernel, or the compiler's log.
struct CompileResult {
  std::string entry;
  std::shared_ptr<const CompiledKernel> kernel;  // null: failed
  std::string error;                             // first error with file and line of the template, one line
  std::string log;                               // all of it
  bool from_cache = false;
  bool source_fails = false;  // the source does not compile without any entry either
  CompileFault fault = CompileFault::source;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  // Compiles all entries in one program; on failure every result carries the program's log. One result per entry, in order.
  // Throws only where no candidate is at fault: architecture, options, the compiler's own installation.
  virtual std::vector<CompileResult> compile(const CompileRequest& request) = 0;
  // Changes whenever the same source could give other code: compiler version and toolkit headers.
  virtual std::string identity() const = 0;
  virtual std::string version() const = 0;                           // "13.0"
  virtual std::string headers_hash() const = 0;                      // of the toolkit headers used
  virtual bool supports(const std::string& architecture) const = 0;  // "sm_90", "compute_90"
};

// Opens libnvrtc and finds the toolkit's headers (CUDA_HOME/CUDA_PATH, the usual prefix, the vendor's wheels in the active
// Python environment). Error no_device: what is missing and how to get it, in one line.
std::shared_ptr<Compiler> open_nvrtc();

// Error unsupported when the compiler is too old for the architecture.
void require_support(const Compiler& compiler, const std::string& architecture);

// Request for some entries of a template under a config's prelude.
CompileRequest compile_request(const spec::Instance& instance, const spec::Config& config,
                               const std::string& architecture);

}  // namespace warptune::runtime
