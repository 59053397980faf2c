// Opens a runtime where there may be no GPU: either it opens, or one Error says what is missing.
#include <cstdio>

#include <warptune/base/error.hpp>
#include <warptune/runtime/runtime.hpp>

int main() {
  try {
    const auto device = warptune::runtime::open_cuda_device(0);
    const auto runtime = warptune::runtime::Runtime::open("no_such_file.db");
    std::printf("%s\n", runtime.device().info().label.c_str());
    return 0;
  } catch (const warptune::Error& error) {
    std::printf("%s\n", error.full_text().c_str());
    return error.kind() == warptune::ErrorKind::no_device ? 0 : 1;
  }
}
