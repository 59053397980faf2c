#include "tuner/worker/start.hpp"

#include <fmt/format.h>

#include <utility>

#include <warptune/tuner/evaluator.hpp>

namespace warptune::tuner {
namespace {

Message first_message(WorkerProcess& process, double most_s, const std::function<bool()>& stopped) {
  std::optional<Message> message = process.channel().receive(deadline_in(most_s), stopped);
  if (!message && stopped && stopped()) throw Interrupted();
  if (!message) throw Error(ErrorKind::io, fmt::format("it said nothing in {:g} s", most_s));
  return std::move(*message);
}

}  // namespace

WorkerStart start_worker(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                         double most_s, const std::function<bool()>& stopped) {
  for (bool again = true;; again = false) {
    WorkerStart start{std::make_unique<WorkerProcess>(program, arguments), {}};
    try {
      start.hello = first_message(*start.process, most_s, stopped);
    } catch (const Error& error) {
      // One that ended has its own death to tell; one that babbles or is silent still runs.
      const Death death = error.kind() == ErrorKind::io ? start.process->reap() : start.process->kill();
      if (again && death.from_outside() && error.kind() == ErrorKind::io) continue;
      const std::string words = start.process->last_words();
      throw Error(ErrorKind::io,
                  fmt::format("'{}' did not start: {}; it {}{}", program.filename().string(), error.what(),
                              death.text(), words.empty() ? "" : ": " + words),
                  "see whether warptune and warptune-worker are of one build");
    }
    if (start.hello.kind == MessageKind::failed) throw read_error(start.hello);
    return start;
  }
}

}  // namespace warptune::tuner
