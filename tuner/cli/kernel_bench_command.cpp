// `warptune bench KERNEL`: tuned config, default, named variants and libraries side by side.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include <warptune/base/error.hpp>
#include <warptune/base/file.hpp>
#include <warptune/db/store.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/spec/catalog.hpp>
#include <warptune/tuner/tune.hpp>

#include "tuner/bench/library_times.hpp"
#include "tuner/bench/problem_bench.hpp"
#include "tuner/cli/bench_command.hpp"
#include "tuner/cli/bench_table.hpp"
#include "tuner/cli/cuda_source.hpp"
#include "tuner/cli/database_view.hpp"
#include "tuner/cli/problem_options.hpp"
#include "tuner/cli/progress_bar.hpp"
#include "tuner/cli/signals.hpp"
#include "tuner/report/formats.hpp"

namespace warptune::tuner {
namespace {

constexpr std::int64_t fewest_rounds = 6;  // an interval of the median needs as many

// Libraries for one run: those named, or all that are installed.
class OpenLibraries {
 public:
  OpenLibraries(const std::string& kernel, const Arguments& arguments, const Context& context) {
    LibraryOptions options;
    options.python = arguments.value("python").value_or(options.python);
    const std::vector<std::string> named = arguments.values("library");
    for (const LibraryInfo& info : chosen(kernel, named)) {
      try {
        opened_.push_back(info.open(options));
      } catch (const Error& error) {
        if (!named.empty() || error.kind() != ErrorKind::not_found) throw;
        context.err << "warptune: left out: " << info.name << ": " << error.full_text() << '\n';
        continue;
      }
      const auto call = info.calls.find(kernel);
      list_.push_back({std::string(info.name), call == info.calls.end() ? "" : std::string(call->second),
                       opened_.back().get()});
    }
  }

  const std::vector<OpenLibrary>& list() const { return list_; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const OpenLibrary& library : list_) names.push_back(library.name);
    return names;
  }

 private:
  static std::vector<LibraryInfo> chosen(const std::string& kernel, const std::vector<std::string>& named) {
    std::vector<LibraryInfo> list;
    for (const std::string& name : named)
      if (name != "none") list.push_back(find_library(name));
    if (!named.empty()) return list;
    std::copy_if(libraries().begin(), libraries().end(), std::back_inserter(list),
                 [&](const LibraryInfo& info) { return info.calls.contains(kernel); });
    return list;
  }

  std::vector<std::unique_ptr<Library>> opened_;
  std::vector<OpenLibrary> list_;
};

class Bench {
 public:
  Bench(const Arguments& arguments, const Context& context)
      : arguments_(arguments),
        context_(context),
        spec_(spec::find_template(*arguments.value("WHAT"))),
        problems_(stated_problems(*spec_, arguments, false)),
        policy_(arguments.choice("policy", {"cold", "hot"}, "cold")),
        saves_(!arguments.has("no-save")) {
    options_.seed = static_cast<std::uint64_t>(arguments.count("seed").value_or(1));
    options_.rounds =
        static_cast<int>(std::max(fewest_rounds, arguments.count("rounds").value_or(options_.rounds)));
    options_.stop = [this] { return interrupt_.stop()->load(); };
    const DeviceChoice device = parse_device(context.device);
    if (!device.ordinal)
      throw Error(ErrorKind::usage, "bench measures on a GPU, not from a recording", "use --device cuda:N");
    source_ = open_cuda_source(*device.ordinal, {policy_, true, options_.seed});
  }

  int run() {
    const OpenLibraries libraries(spec_->name, arguments_, context_);
    std::vector<BenchedProblem> benched;
    std::optional<db::Store> store;
    if (saves_) {
      store.emplace(open_for_writing(context_));
    } else if (std::filesystem::exists(context_.database)) {
      store.emplace(open_for_reading(context_));
    }
    for (const spec::Problem& problem : problems_) {
      const std::optional<spec::Config> tuned = tuned_config(problem, store ? &*store : nullptr);
      if (options_.stop()) break;
      benched.push_back(bench(problem, tuned, libraries));
      if (!saves_ || options_.stop()) continue;
      for (const db::ReferenceTime& time :
           library_times(*spec_, benched.back().key, benched.back().toolchain, benched.back().standings))
        store->add_reference_time(time);
    }
    Document document;
    document.tables.push_back(bench_table(*spec_, benched, libraries.names()));
    context_.print(document);
    if (const auto file = arguments_.value("markdown")) write(*file, document);
    return interrupt_.exit_code();
  }

 private:
  // What the database holds for the problem; tuned first where it holds nothing.
  std::optional<spec::Config> tuned_config(const spec::Problem& problem, db::Store* store) {
    const db::ProblemKey key =
        runtime::problem_key(spec::Instance(spec_, problem, source_->traits()), policy_);
    if (store != nullptr)
      if (const auto stored = stored_winner(*store, key)) return stored;
    if (arguments_.has("no-tune")) return std::nullopt;
    const std::unique_ptr<Evaluator> evaluator = source_->open(spec_, problem);
    TuneOptions options;
    if (const auto trials = arguments_.count("trials")) {
      options.strategy = "auto";
      options.budget.trials = *trials;
    }
    options.policy = policy_;
    options.seed = options_.seed;
    options.stop = interrupt_.stop();
    options.command = context_.command_line;
    ProgressBar bar(context_.err, context_.err_is_terminal);
    const TuneResult result = tune(*evaluator, saves_ ? store : nullptr, options,
                                   [&](const TuneProgress& progress) { bar.update(progress); });
    bar.clear();
    if (result.winners.empty()) return std::nullopt;
    return runtime::read_config(*spec_, result.winners.back().config);  // that of the widest class
  }

  std::optional<spec::Config> stored_winner(const db::Store& store, const db::ProblemKey& key) const {
    std::optional<spec::Config> config;
    store.visit_winners(key.device, key.kernel, [&](const db::StoredWinner& winner) {  // the widest is last
      if (winner.problem == key && winner.origin == db::Origin::measured)
        config = runtime::read_config(*spec_, winner.winner.config);
    });
    return config;
  }

  BenchedProblem bench(spec::Problem problem, const std::optional<spec::Config>& tuned,
                       const OpenLibraries& libraries) {
    const spec::Instance stated(spec_, problem, source_->traits());
    for (const spec::VariantSpec& variant : stated.variants())
      problem.allowed = problem.allowed | variant.numerics;
    const std::unique_ptr<DeviceEvaluator> evaluator = source_->open_on_device(spec_, problem);
    BenchedProblem result;
    result.key = runtime::problem_key(stated, policy_);
    result.toolchain = evaluator->toolchain();
    if (const auto bytes = stated.cost_bytes()) result.bytes = static_cast<double>(*bytes);
    result.limit_bytes_per_s = evaluator->limit_bytes_per_s();
    result.standings = bench_problem(*evaluator, tuned, libraries.list(), options_);
    return result;
  }

  static void write(const std::string& file, const Document& document) {
    std::ostringstream text;
    write_markdown(document, text, {});
    publish_file(file, text.str());
  }

  const Arguments& arguments_;
  const Context& context_;
  spec::TemplatePtr spec_;
  std::vector<spec::Problem> problems_;
  std::string policy_;
  bool saves_;
  InterruptScope interrupt_;
  BenchOptions options_;
  std::unique_ptr<CudaSource> source_;
};

}  // namespace

std::vector<OptionSpec> kernel_bench_options() {
  using Kind = OptionSpec::Kind;
  return problem_options({
      {"policy", Kind::value, "cold|hot", "what is timed: operands out of cache, or in it (default cold)"},
      {"library", Kind::values, "NAME",
       "cublas, torch or none, repeatable (default: those for this kernel that are installed)"},
      {"python", Kind::value, "PATH", "interpreter that has PyTorch (default python3)"},
      {"rounds", Kind::value, "N", "blocks of each contestant (default 24, at least 6)"},
      {"seed", Kind::value, "N", "seed of operands and rounds (default 1)"},
      {"no-save", Kind::flag, "", "store neither the libraries' times nor what is tuned"},
      {"no-tune", Kind::flag, "", "leave out what the database does not hold, do not tune it"},
      {"trials", Kind::value, "N",
       "tune what the database does not hold by `auto` in N trials (default: all)"},
      {"markdown", Kind::value, "FILE", "write the table there as well"},
  });
}

int bench_kernel(const Arguments& arguments, const Context& context) {
  return Bench(arguments, context).run();
}

}  // namespace warptune::tuner
