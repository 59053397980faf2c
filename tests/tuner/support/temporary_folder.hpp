// A folder of its own for each test, removed afterwards.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <warptune/base/temporary_folder.hpp>

namespace warptune::test {

// Goes away even where a test took the right to write from it.
class TemporaryFolder : public warptune::TemporaryFolder {
 public:
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path() / name; }
};

}  // namespace warptune::test
