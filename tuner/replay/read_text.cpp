#include <array>
#include <memory>

#include <zlib.h>

#include <warptune/base/error.hpp>

#include "tuner/replay/recordings.hpp"

namespace warptune::tuner {

std::string read_text(const std::filesystem::path& file) {
  struct Close {
    void operator()(gzFile_s* handle) const { gzclose(handle); }
  };
  // gzopen passes plain files through.
  const std::unique_ptr<gzFile_s, Close> handle(
      std::filesystem::is_regular_file(file) ? gzopen(file.c_str(), "rb") : nullptr);
  if (!handle)
    throw Error(ErrorKind::io, "cannot read '" + file.string() + "'",
                "name a file that exists and may be read");
  std::string text;
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const int count = gzread(handle.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    int status = Z_OK;
    const char* what = gzerror(handle.get(), &status);
    if (count < 0 || (status != Z_OK && status != Z_STREAM_END))
      throw Error(ErrorKind::bad_input, "'" + file.string() + "' is damaged: " + what,
                  "fetch or pack it anew");
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace warptune::tuner
