// The worker's side: answers requests until the socket closes. One thread at a time, one call per process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>

namespace warptune::tuner {

using OpenDevice = std::function<std::shared_ptr<runtime::Device>()>;
using OpenCompiler = std::function<std::shared_ptr<runtime::Compiler>()>;

// What every worker does first: no core files, and a thread that ends the process less than a second after the socket `socket`
// was closed by the tuner, or the tuner died, whatever the driver is doing then.
void begin_worker(int socket);

// Measures candidates on the device. Returns the exit code: 0 when the tuner closed the socket.
int serve_measuring(int socket, const OpenDevice& open_device, const OpenCompiler& open_compiler);

// Compiles. Ends the process with exit_out_of_memory when it holds more than `memory_bytes` (0: no limit).
int serve_compiling(int socket, const OpenCompiler& open_compiler, std::int64_t memory_bytes);

}  // namespace warptune::tuner
