// A folder of one's own that goes away with its owner.
#pragma once

#include <filesystem>

namespace warptune {

// Removed with all that is in it, on every way out. Only its user may enter it.
class TemporaryFolder {
 public:
  // In TMPDIR, else /tmp. Error io: none can be made there.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace warptune
