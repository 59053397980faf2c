// What is printed on a terminal: colours, unless they are not wanted.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "tests/tuner/cli/program.hpp"

namespace warptune::test {
namespace {

// What `warptune list strategies` prints where standard output is a terminal.
std::string printed_on_a_terminal() {
  const int control = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (control < 0 || ::grantpt(control) != 0 || ::unlockpt(control) != 0) return "no terminal here";
  const std::string name = ::ptsname(control);
  const pid_t child = ::fork();
  if (child == 0) {
    const char* const elsewhere = std::getenv("WARPTUNE_PROGRAM");
    const char* const program = elsewhere != nullptr ? elsewhere : WARPTUNE_PROGRAM;
    ::dup2(::open(name.c_str(), O_RDWR | O_NOCTTY), STDOUT_FILENO);
    ::execl(program, program, "list", "strategies", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  std::string text;
  std::array<char, 4096> bytes{};
  // Ends with EIO once the child has closed its side.
  for (ssize_t count = 0; (count = ::read(control, bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(count));
  ::waitpid(child, nullptr, 0);
  ::close(control);
  return text;
}

TEST(OnATerminal, HeadingsAreColouredUnlessNoColorIsSet) {
  ::unsetenv("NO_COLOR");
  const std::string coloured = printed_on_a_terminal();
  ASSERT_NE(coloured.find("exhaustive"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("\x1b["), std::string::npos);
  ::setenv("NO_COLOR", "1", 1);
  const std::string plain = printed_on_a_terminal();
  ::unsetenv("NO_COLOR");
  EXPECT_NE(plain.find("exhaustive"), std::string::npos) << plain;
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
}

TEST(NotOnATerminal, NothingIsColoured) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_program({"list", "strategies"}, folder / ".").out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace warptune::test
