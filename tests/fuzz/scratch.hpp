// A folder of its own for one fuzzing process, in memory where the system has such a place.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace warptune::fuzz {

inline const std::filesystem::path& scratch_folder() {
  static const struct Folder {
    Folder() {
      const bool memory = ::access("/dev/shm", W_OK | X_OK) == 0;
      path = (memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
             ("warptune_fuzz_" + std::to_string(::getpid()));
      std::filesystem::create_directories(path);
      std::atexit([] {
        std::error_code ignored;
        std::filesystem::remove_all(scratch_folder(), ignored);
      });
    }
    std::filesystem::path path;
  } folder;
  return folder.path;
}

}  // namespace warptune::fuzz
