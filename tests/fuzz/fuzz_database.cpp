// Fuzz target: any bytes as a database file.
#include <cstddef>
#include <cstdint>
#include <fstream>

#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/use_database.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fs = std::filesystem;
  const fs::path folder = warptune::fuzz::scratch_folder() / "file";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const fs::path file = folder / "tuning.db";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  warptune::fuzz::use_database(file);
  return 0;
}
