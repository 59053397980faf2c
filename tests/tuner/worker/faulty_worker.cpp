// A worker program whose device and compiler misbehave as the configs say; what they remember lies in $WARPTUNE_TEST_FOLDER.
#include <cstdlib>
#include <string_view>

#include "tests/tuner/worker/faulty_template.hpp"
#include "tuner/worker/host.hpp"
#include "tuner/worker/process.hpp"

int main(int argc, char** argv) {
  using namespace warptune;
  const char* folder = std::getenv("WARPTUNE_TEST_FOLDER");
  if (argc != 3 || folder == nullptr) return 2;
  tuner::begin_worker(tuner::worker_socket);
  if (std::string_view(argv[1]) == "compile")
    return tuner::serve_compiling(tuner::worker_socket, test::faulty_compiler, std::atoll(argv[2]));
  return tuner::serve_measuring(
      tuner::worker_socket, [&] { return test::faulty_device(folder, std::atoi(argv[2])); },
      test::faulty_compiler);
}
