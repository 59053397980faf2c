// The program `warptune-worker`: measures or compiles for a tuner that has spawned it, at the other end of descriptor 3.
#include <charconv>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

#include <warptune/runtime/compiler.hpp>
#include <warptune/runtime/device.hpp>

#include "tuner/worker/host.hpp"
#include "tuner/worker/process.hpp"

namespace {

using namespace warptune;

constexpr int wrong_usage = 2;

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view role = argc == 3 ? argv[1] : "";
  int ordinal = 0;
  std::int64_t memory_bytes = 0;
  if (role == "measure" && read(argv[2], ordinal)) {
    tuner::begin_worker(tuner::worker_socket);
    return tuner::serve_measuring(
        tuner::worker_socket, [&] { return std::shared_ptr(runtime::open_cuda_device(ordinal)); },
        runtime::open_nvrtc);
  }
  if (role == "compile" && read(argv[2], memory_bytes)) {
    tuner::begin_worker(tuner::worker_socket);
    return tuner::serve_compiling(tuner::worker_socket, runtime::open_nvrtc, memory_bytes);
  }
  std::cerr << "warptune-worker: error: started by warptune, not by hand; run 'warptune tune'\n";
  return wrong_usage;
}
