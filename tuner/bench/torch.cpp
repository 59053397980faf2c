// PyTorch, in a process of its own: bench/torch_contestant.py, which is part of this program.
#include <charconv>

#include <fmt/format.h>

#include <warptune/base/error.hpp>

#include "tuner/bench/child_process.hpp"
#include "tuner/bench/library.hpp"
#include "tuner/bench/torch_source.hpp"

namespace warptune::tuner {
namespace {

constexpr double start_timeout_s = 120;
constexpr double answer_timeout_s = 60;
constexpr std::string_view ok = "ok ", failed = "error ";

class Torch final : public Library {
 public:
  explicit Torch(const LibraryOptions& options)
      : python_(options.python), process_({options.python, "-c", std::string(torch_contestant_source)}) {
    std::string line;
    try {
      line = process_.receive(start_timeout_s);
    } catch (const Error&) {
      line = "error it has no PyTorch";
    }
    if (!line.starts_with(ok)) {
      throw Error(ErrorKind::not_found,
                  fmt::format("'{}': {}", python_,
                              line.starts_with(failed) ? line.substr(failed.size()) : "answers with " + line),
                  "name an interpreter that has PyTorch for CUDA with --python");
    }
    version_ = line.substr(ok.size());
  }

  std::string version() const override { return version_; }

  std::optional<Block> prepare(DeviceEvaluator& evaluator) override {
    const spec::Problem& problem = evaluator.instance().problem();
    const OperandFeed feed = evaluator.operand_feed();
    std::string line =
        fmt::format("problem kernel={} sets={} revisit={} scrub_bytes={} rehearsed={} fixed_cost_ns={:.0f}",
                    evaluator.instance().spec().name, feed.sets, feed.revisit ? 1 : 0, feed.scrub_bytes,
                    feed.rehearsed ? 1 : 0, feed.fixed_cost_ns);
    for (const auto& [name, type] : problem.types) line += fmt::format(" {}={}", name, word(type));
    for (const auto& [name, value] : problem.dims) line += fmt::format(" {}={}", name, value);
    for (const auto& [name, value] : problem.attributes) line += fmt::format(" {}={}", name, value);
    const std::string answer = ask(line);
    if (answer == "none") return std::nullopt;
    return [this] { return number(ask("block")); };
  }

 private:
  // Lines are split at blanks.
  static std::string word(std::string type) {
    for (char& c : type)
      if (c == ' ') c = '_';
    return type;
  }

  std::string ask(const std::string& line) {
    process_.send(line);
    const std::string answer = process_.receive(answer_timeout_s);
    if (answer.starts_with(failed)) {
      throw Error(ErrorKind::cuda, "PyTorch: " + answer.substr(failed.size()),
                  "leave it out by naming others with --library");
    }
    return answer;
  }

  double number(const std::string& text) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value > 0))
      throw Error(ErrorKind::io, fmt::format("'{}' answers '{}' for a time", python_, text), "");
    return value;
  }

  std::string python_;
  ChildProcess process_;
  std::string version_;
};

}  // namespace

std::unique_ptr<Library> open_torch(const LibraryOptions& options) {
  return std::make_unique<Torch>(options);
}

}  // namespace warptune::tuner
