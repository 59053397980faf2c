// Messages over a socket, each in a frame: a mark, the length of the payload, the payload. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "tuner/worker/messages.hpp"

namespace warptune::tuner {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;  // nothing: no limit
// A limit of 0 seconds is none.
Deadline deadline_in(double seconds);
Deadline earlier(const Deadline& a, const Deadline& b);

// Takes bytes as they come and gives the payloads of whole frames. Never holds more than a frame and what was added last.
class FrameReader {
 public:
  explicit FrameReader(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  void add(std::string_view bytes) { pending_.append(bytes); }
  // Error bad_input: the bytes are no frame, or one longer than allowed. What follows cannot be understood either.
  std::optional<std::string> next();

 private:
  std::size_t most_bytes_;
  std::string pending_;
};

class Channel {
 public:
  // Longest payload: a program of many kernels with its log.
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;

  // Owns the socket.
  explicit Channel(int socket);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Error io: the other side is gone, or does not take the message in time.
  void send(const Message& message, const Deadline& deadline = {});
  // The next message; nothing once the deadline has passed, or `give_up`, asked about ten times a second, says so.
  // Errors: io (the other side is gone), bad_input (what came is no message).
  std::optional<Message> receive(const Deadline& deadline = {}, const std::function<bool()>& give_up = {});
  // Ends both directions; the other side sees the end.
  void close() noexcept;

 private:
  // False when the deadline has passed.
  bool wait(short events, const Deadline& deadline) const;
  void read_some();

  int socket_;
  FrameReader frames_{most_bytes};
};

}  // namespace warptune::tuner
