// The program `warptune`: parses, runs one command, turns errors into one line and an exit code.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <new>

#include <warptune/base/error.hpp>

#include "tuner/cli/command.hpp"
#include "tuner/cli/parser.hpp"

namespace {

using warptune::tuner::Context;
using warptune::tuner::Parsed;

int run(const std::vector<std::string>& words) {
  const Parsed parsed = warptune::tuner::parse_command_line(words);
  if (parsed.command == nullptr) {
    std::cout << parsed.text;
    return 0;
  }
  Context context{std::cout, std::cerr};
  context.json = parsed.json;
  // https://no-color.org
  const char* const no_color = std::getenv("NO_COLOR");
  context.color = isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
  context.err_is_terminal = isatty(STDERR_FILENO) != 0;
  if (parsed.database) context.database = *parsed.database;
  context.device = parsed.device.value_or("");
  context.command_line = "warptune";
  for (const std::string& word : words) context.command_line += " " + word;
  const int code = parsed.command->run(parsed.arguments, context);
  std::cout.flush();
  if (!std::cout)
    throw warptune::Error(warptune::ErrorKind::io, "standard output could not be written",
                          "is the disk full?");
  return code;
}

int fail(const std::string& text, int code) {
  std::cout.flush();
  std::cerr << "warptune: error: " << text << std::endl;
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const warptune::Error& error) {
    return fail(error.full_text(), error.kind() == warptune::ErrorKind::usage ? 2 : 1);
  } catch (const std::bad_alloc&) {
    return fail("out of host memory; try fewer --trials or a smaller problem", 1);
  } catch (const std::exception& error) {
    return fail(std::string("unexpected: ") + error.what() + "; please report this with the command", 1);
  }
}
