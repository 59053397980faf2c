#include <warptune/base/temporary_folder.hpp>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <warptune/base/error.hpp>

namespace warptune {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code code;
  std::string name = (fs::temp_directory_path(code) / "warptune.XXXXXX").string();
  if (code || ::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorKind::io, "no temporary folder " + name + " can be made",
                "set TMPDIR to a folder that can be written", code ? code.value() : errno);
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace warptune
