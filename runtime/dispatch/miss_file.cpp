#include "runtime/dispatch/miss_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <warptune/runtime/problem_key.hpp>

namespace warptune::runtime {
namespace {

std::string json_text(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      result += '\\';
      result += letter;
    } else if (code < 0x20) {
      result += fmt::format("\\u{:04x}", code);
    } else {
      result += letter;
    }
  }
  return result + '"';
}
std::string json(const std::string& text) { return json_text(text); }
std::string json(std::int64_t number) { return fmt::format("{}", number); }
template <typename Map>
std::string object(const Map& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", json_text(name), json(value));
  return "{" + text + "}";
}

// A file, locked against other processes while this lives.
class LockedFile {
 public:
  explicit LockedFile(const std::filesystem::path& path)
      // Not blocking: the path may name a pipe that nobody reads.
      : file_(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644)) {
    if (file_ < 0) error_ = std::strerror(errno);
    if (file_ >= 0 && (::fstat(file_, &status_) != 0 || !S_ISREG(status_.st_mode))) error_ = "it is no file";
    if (error_.empty() && !lock()) error_ = "another process holds it";
    if (error_.empty() && ::fstat(file_, &status_) != 0) error_ = std::strerror(errno);  // as it is now
  }
  ~LockedFile() {
    if (file_ >= 0) ::close(file_);  // and with it goes the lock
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  const std::string& error() const { return error_; }
  std::size_t bytes() const { return static_cast<std::size_t>(status_.st_size); }
  // A writer that was killed may have left part of a line.
  bool ends_inside_a_line() const {
    char last = '\n';
    return bytes() > 0 && ::pread(file_, &last, 1, status_.st_size - 1) == 1 && last != '\n';
  }
  // All of the text or none of it. Returns why not.
  std::string append(std::string_view text) const {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written == static_cast<ssize_t>(text.size())) return {};
    std::string why = written < 0 ? std::strerror(errno) : "no space left";
    if (written > 0 && ::ftruncate(file_, status_.st_size) != 0) why += ", and part of a line stays";
    return why;
  }

 private:
  bool lock() const {
    for (int tries = 0; tries < 20; ++tries) {
      if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  int file_;
  struct ::stat status_ {};
  std::string error_;
};

}  // namespace

std::string miss_line(std::string_view kernel, const Miss& miss) {
  const spec::Problem& problem = miss.problem;
  std::map<std::string, std::string> attributes;
  for (const auto& [name, word] : problem.attributes)
    if (word != "any") attributes.emplace(name, word);
  const db::DeviceKey device = device_key(miss.device.traits);
  return fmt::format(
      "{{\"warptune_miss\":1,\"kernel\":{},\"types\":{},\"dims\":{},\"attributes\":{},\"allow\":{},"
      "\"policy\":{},"
      "\"device\":{{\"model\":{},\"compute_capability\":{},\"sm_count\":{},\"l2_bytes\":{},\"memory_gib\":{}}"
      "}}}",
      json_text(kernel), object(problem.types), object(problem.dims), object(attributes),
      json_text(problem.allowed.key()), json_text(miss.policy), json_text(device.model),
      device.compute_capability, device.sm_count, device.l2_bytes, device.memory_gib);
}

std::string MissFile::add(const std::string& line) {
  const std::scoped_lock lock(mutex_);
  if (known_.contains(line)) return {};
  if (known_.size() >= most_lines)
    return fmt::format("this process has written {} problems already", known_.size());
  known_.insert(line);  // written or not: it is tried once
  const LockedFile file(path_);
  if (!file.error().empty()) return file.error();
  const std::string text = (file.ends_inside_a_line() ? "\n" : "") + line + "\n";
  if (file.bytes() + text.size() > most_bytes)
    return fmt::format("it holds {} bytes, the most it may", file.bytes());
  return file.append(text);
}

}  // namespace warptune::runtime
