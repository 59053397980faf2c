// Frames survive any cutting, and nothing but a frame is taken for one.
#include "tuner/worker/channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

std::array<int, 2> pair_of_sockets() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  return ends;
}

// The bytes that a channel sends for a message.
std::string frame_of(const Message& message) {
  const auto ends = pair_of_sockets();
  std::string bytes(1 << 16, '\0');
  {
    Channel channel(ends[0]);
    channel.send(message);
  }
  bytes.resize(static_cast<std::size_t>(::recv(ends[1], bytes.data(), bytes.size(), MSG_WAITALL)));
  ::close(ends[1]);
  return bytes;
}

ErrorKind kind_of_failure(std::string_view bytes, std::size_t most_bytes = 1000) {
  FrameReader reader(most_bytes);
  try {
    reader.add(bytes);
    while (reader.next()) {
    }
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

TEST(FrameReader, FramesAreFoundHoweverTheyAreCut) {
  const std::string bytes = frame_of({MessageKind::step, "one"}) + frame_of({MessageKind::done, ""});
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    FrameReader reader(1000);
    std::vector<std::string> payloads;
    for (const std::string& part : {bytes.substr(0, cut), bytes.substr(cut)}) {
      reader.add(part);
      while (const auto payload = reader.next()) payloads.push_back(*payload);
    }
    ASSERT_EQ(payloads.size(), 2u) << cut;
    EXPECT_EQ(read_message(payloads[0]).kind, MessageKind::step);
    EXPECT_EQ(read_message(payloads[0]).body, "one");
    EXPECT_EQ(read_message(payloads[1]).kind, MessageKind::done);
  }
}

TEST(FrameReader, NoiseIsRefusedAtItsFirstByte) {
  EXPECT_EQ(kind_of_failure("n"), ErrorKind::bad_input);
  EXPECT_EQ(kind_of_failure("wtworkez"), ErrorKind::bad_input);
  EXPECT_EQ(kind_of_failure(std::string(100, '\0')), ErrorKind::bad_input);
  // Noise after a whole frame.
  EXPECT_EQ(kind_of_failure(frame_of({MessageKind::done, ""}) + "noise"), ErrorKind::bad_input);
}

TEST(FrameReader, LengthsBeyondTheLimitAreRefusedBeforeTheyAreRead) {
  const std::string bytes = frame_of({MessageKind::step, std::string(996, 'x')});  // and four bytes of kind
  EXPECT_EQ(kind_of_failure(bytes, 1000), ErrorKind::internal) << "just as long as allowed";
  EXPECT_EQ(kind_of_failure(bytes.substr(0, 16), 999), ErrorKind::bad_input);
}

TEST(FrameReader, OtherVersionsOfTheProtocolAreRefused) {
  std::string bytes = frame_of({MessageKind::done, ""});
  ++bytes[8];
  EXPECT_EQ(kind_of_failure(bytes), ErrorKind::bad_input);
}

TEST(Channel, LongMessagesArriveWhole) {
  const auto ends = pair_of_sockets();
  Channel one(ends[0]), other(ends[1]);
  const std::string body(std::size_t{5} << 20, 'b');
  std::thread sender([&] { one.send({MessageKind::compiled, body}); });
  const auto message = other.receive();
  sender.join();
  ASSERT_TRUE(message);
  EXPECT_EQ(message->kind, MessageKind::compiled);
  EXPECT_TRUE(message->body == body);
}

TEST(Channel, DeadlineEndsTheWait) {
  const auto ends = pair_of_sockets();
  Channel one(ends[0]), other(ends[1]);
  const auto start = Clock::now();
  EXPECT_FALSE(one.receive(deadline_in(0.05)));
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(50));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
}

TEST(Channel, TheCallerMayGiveUp) {
  const auto ends = pair_of_sockets();
  Channel one(ends[0]), other(ends[1]);
  EXPECT_FALSE(one.receive({}, [] { return true; }));
}

TEST(Channel, AMessageThatCameInTimeIsNotMissedByALateReader) {
  const auto ends = pair_of_sockets();
  Channel one(ends[0]), other(ends[1]);
  other.send({MessageKind::done, ""});
  EXPECT_TRUE(one.receive(Clock::now() - std::chrono::seconds(1)));
}

TEST(Channel, TheOtherSidesEndIsAnError) {
  const auto ends = pair_of_sockets();
  Channel one(ends[0]);
  ::close(ends[1]);
  for (const bool sends : {false, true}) {
    try {
      if (sends)
        one.send({MessageKind::done, std::string(1 << 20, 'x')});
      else
        one.receive();
      FAIL() << "the other side is gone";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
    }
  }
}

TEST(Channel, SomeoneWhoTakesNothingIsNotWaitedForForever) {
  const auto ends = pair_of_sockets();
  Channel one(ends[0]), other(ends[1]);
  EXPECT_THROW(one.send({MessageKind::done, std::string(std::size_t{8} << 20, 'x')}, deadline_in(0.05)),
               Error);
}

}  // namespace
}  // namespace warptune::tuner
