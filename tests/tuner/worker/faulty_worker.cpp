// A worker program whose device and compiler misbehave as the configs say: FOLDER measure, or FOLDER compile BYTES.
#include <cstdlib>
#include <string_view>

#include "tests/tuner/worker/faulty_template.hpp"
#include "tuner/worker/host.hpp"
#include "tuner/worker/process.hpp"

int main(int argc, char** argv) {
  using namespace warptune;
  if (argc < 3) return 2;
  const std::string_view role = argv[2];
  tuner::begin_worker(tuner::worker_socket);
  if (role == "compile")
    return tuner::serve_compiling(tuner::worker_socket, test::faulty_compiler, std::atoll(argv[3]));
  return tuner::serve_measuring(
      tuner::worker_socket, [&] { return test::faulty_device(argv[1]); }, test::faulty_compiler);
}
