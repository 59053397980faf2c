// A child that answers, ends, stays silent, or refuses to go.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include <warptune/base/error.hpp>

#include "tuner/bench/child_process.hpp"

namespace warptune::tuner {
namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(ChildProcess, AnswersLineByLine) {
  ChildProcess child({"sh", "-c", "while read line; do printf '%s\\n' \"got $line\"; done"});
  child.send("one");
  child.send("two");
  EXPECT_EQ(child.receive(10), "got one");
  EXPECT_EQ(child.receive(10), "got two");
}

TEST(ChildProcess, LinesThatComeInPieces) {
  ChildProcess child({"sh", "-c", "printf 'fi'; sleep 0.1; printf 'rst\\nsec'; sleep 0.1; echo ond"});
  EXPECT_EQ(child.receive(10), "first");
  EXPECT_EQ(child.receive(10), "second");
}

TEST(ChildProcess, EndedIsAnErrorForBothWays) {
  ChildProcess child({"sh", "-c", "exit 3"});
  EXPECT_THROW(child.receive(10), Error);
  EXPECT_THROW(child.send("hello"), Error);
}

TEST(ChildProcess, SilenceEndsAfterTheTimeout) {
  ChildProcess child({"cat"});
  const double seconds = seconds_of([&] { EXPECT_THROW(child.receive(0.2), Error); });
  EXPECT_GE(seconds, 0.19);
  EXPECT_LT(seconds, 5);
}

TEST(ChildProcess, NoSuchProgramIsNotFound) {
  try {
    ChildProcess child({"no-such-program-here"});
    FAIL() << "started";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_NE(std::string(error.what()).find("no-such-program-here"), std::string::npos);
  }
}

TEST(ChildProcess, GoesWhenItsInputCloses) {
  EXPECT_LT(seconds_of([] { ChildProcess child({"cat"}); }), 5);
}

}  // namespace
}  // namespace warptune::tuner
