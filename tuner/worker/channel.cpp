#include "tuner/worker/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace warptune::tuner {
namespace {

// Changes with every change of the messages.
constexpr std::string_view mark = "wtworker";
constexpr std::uint32_t protocol = 1;

struct Header {
  char mark[8];
  std::uint32_t protocol;
  std::uint32_t bytes;
};

constexpr auto between_questions = std::chrono::milliseconds(100);

[[noreturn]] void fail_io(const std::string& what) {
  const int code = errno;
  throw Error(ErrorKind::io, what + (code != 0 ? std::string(": ") + std::strerror(code) : ""), {}, code);
}

}  // namespace

Deadline deadline_in(double seconds) {
  if (seconds <= 0) return std::nullopt;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Deadline earlier(const Deadline& a, const Deadline& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

std::optional<std::string> FrameReader::next() {
  Header header;
  if (pending_.size() < sizeof header) {
    // What cannot become a frame is refused at once: its sender may say no more.
    const std::size_t seen = std::min(pending_.size(), mark.size());
    if (pending_.compare(0, seen, mark.substr(0, seen)) != 0)
      throw Error(ErrorKind::bad_input, "what came is not a message");
    return std::nullopt;
  }
  std::memcpy(&header, pending_.data(), sizeof header);
  if (std::string_view(header.mark, sizeof header.mark) != mark || header.protocol != protocol)
    throw Error(ErrorKind::bad_input, "what came is not a message of this version",
                "install warptune and its worker from one build");
  if (header.bytes > most_bytes_) throw Error(ErrorKind::bad_input, "a message is too long");
  if (pending_.size() < sizeof header + header.bytes) return std::nullopt;
  std::string payload = pending_.substr(sizeof header, header.bytes);
  pending_.erase(0, sizeof header + header.bytes);
  return payload;
}

Channel::Channel(int socket) : socket_(socket) {}

Channel::~Channel() { close(); }

void Channel::close() noexcept {
  if (socket_ < 0) return;
  ::shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
  socket_ = -1;
}

bool Channel::wait(short events, const Deadline& deadline) const {
  pollfd waiting{socket_, events, 0};
  int timeout_ms = -1;
  if (deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
  }
  const int ready = ::poll(&waiting, 1, timeout_ms);
  if (ready < 0 && errno != EINTR) fail_io("waiting for a message failed");
  return ready > 0;
}

void Channel::send(const Message& message, const Deadline& deadline) {
  const std::string payload = to_payload(message);
  if (payload.size() > most_bytes) throw Error(ErrorKind::bad_input, "a message is too long");
  Header header{{}, protocol, static_cast<std::uint32_t>(payload.size())};
  mark.copy(header.mark, sizeof header.mark);
  std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
  frame += payload;
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const ssize_t count =
        ::send(socket_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) fail_io("the other process is gone");
    if (!wait(POLLOUT, deadline) && deadline && Clock::now() >= *deadline) {
      errno = 0;
      fail_io("the other process takes no message");
    }
  }
}

void Channel::read_some() {
  static thread_local std::vector<char> buffer(std::size_t{256} << 10);
  const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) {
    frames_.add({buffer.data(), static_cast<std::size_t>(count)});
    return;
  }
  if (count < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return;
  if (count == 0) errno = 0;
  fail_io("the other process is gone");
}

std::optional<Message> Channel::receive(const Deadline& deadline, const std::function<bool()>& give_up) {
  for (;;) {
    if (const auto payload = frames_.next()) return read_message(*payload);
    const Deadline slice = give_up ? earlier(deadline, Clock::now() + between_questions) : deadline;
    if (wait(POLLIN, slice)) {
      read_some();
      continue;
    }
    if (deadline && Clock::now() >= *deadline) return std::nullopt;
    if (give_up && give_up()) return std::nullopt;
  }
}

}  // namespace warptune::tuner
