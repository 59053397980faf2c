// What is lost where nothing was tuned: shapes drawn between the tuned ones, each with what the database serves there, the default,
// and the shape's own optimum (a search of --seconds), in the same paired rounds.
//
//   neighbours_bench KERNEL --db FILE [--types T=half]... --dims n=2^16..2^26 [--dims ...] [--shapes 40] [--seconds 8]
//                    [--seed 1] [--device 0]
//
// A dim given as a range is drawn log-uniformly within it; shapes that were tuned are drawn again. Prints a JSON object per shape
// and one for all: the loss of what was served against the optimum (median, worst), and how many are slower than the
// default by over 1 % with 95 % confidence.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <warptune/runtime/kernel_builder.hpp>
#include <warptune/runtime/problem_key.hpp>
#include <warptune/runtime/selection.hpp>
#include <warptune/spec/element_type.hpp>
#include <warptune/spec/problem_text.hpp>
#include <warptune/tuner/tune.hpp>
#include <warptune/tuner/worker_session.hpp>

#include "tuner/bench/contest.hpp"
#include "tuner/measure/statistics.hpp"

namespace {

using namespace warptune;

struct Options {
  std::string kernel, database = "tuning.db";
  spec::Problem problem;  // dims that are fixed
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> drawn;
  int shapes = 40, ordinal = 0;
  double seconds = 8;
  std::uint64_t seed = 1;
};

Options parse(int argc, char** argv) {
  const auto fail = [](const std::string& what) {
    throw Error(ErrorKind::usage, what, "see the head of bench/neighbours_bench.cpp");
  };
  Options options;
  if (argc < 2 || argc % 2 != 0) fail("a kernel and pairs of option and value are needed");
  options.kernel = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    const std::size_t equals = value.find('='), dots = value.find("..");
    const std::string name = value.substr(0, equals);
    if ((option == "--types" || option == "--dims") && equals == std::string::npos)
      fail(option + " takes NAME=VALUE");
    if (option == "--types") {
      const auto type = spec::find_element_type(value.substr(equals + 1));
      options.problem.types[name] = type ? std::string(type->name) : value.substr(equals + 1);
    } else if (option == "--dims" && dots != std::string::npos) {
      options.drawn[name] = {spec::parse_size(value.substr(equals + 1, dots - equals - 1)),
                             spec::parse_size(value.substr(dots + 2))};
    } else if (option == "--dims") {
      options.problem.dims[name] = spec::parse_size(value.substr(equals + 1));
    } else if (option == "--db") {
      options.database = value;
    } else if (option == "--shapes") {
      options.shapes = std::atoi(value.c_str());
    } else if (option == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (option == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (option == "--device") {
      options.ordinal = std::atoi(value.c_str());
    } else {
      fail("unknown option " + option);
    }
  }
  if (options.drawn.empty() || options.shapes < 1 || options.seconds <= 0)
    fail("a range in --dims, shapes and seconds above 0 are needed");
  return options;
}

spec::Problem draw(const Options& options, std::mt19937_64& random) {
  spec::Problem problem = options.problem;
  for (const auto& [name, range] : options.drawn) {
    std::uniform_real_distribution<double> logarithm(std::log(static_cast<double>(range.first)),
                                                     std::log(static_cast<double>(range.second)));
    problem.dims[name] = static_cast<std::int64_t>(std::llround(std::exp(logarithm(random))));
  }
  return problem;
}

struct Shape {
  double loss = 0;  // of what is served, against the optimum
  bool slower_than_default = false;
};

Shape measure(tuner::Evaluator& evaluator, const runtime::Ranking& ranking, const Options& options) {
  constexpr int rounds = 24;
  const spec::Instance& instance = evaluator.instance();
  tuner::TuneOptions search;
  search.strategy = "auto";
  search.budget.seconds = options.seconds;
  search.seed = options.seed;
  search.neighbours = false;
  const tuner::TuneResult found = tuner::tune(evaluator, nullptr, search);
  if (found.winners.empty())
    throw Error(ErrorKind::compile, "no config runs at " + instance.problem().text());
  const spec::Config& served = ranking.candidates.front().config;
  const spec::Config& fallback = instance.spec().default_config;
  const spec::Config optimum = runtime::read_config(instance.spec(), found.winners.back().config);

  std::vector<tuner::Block> blocks;
  for (const spec::Config* config : {&served, &fallback, &optimum})
    blocks.push_back([&evaluator, config] { return evaluator.time_block(*config); });
  const auto samples = tuner::contest(blocks, rounds, options.seed);
  std::vector<double> over_default;  // logarithms
  for (std::size_t i = 0; i < samples[0].size(); ++i)
    over_default.push_back(std::log(samples[0][i] / samples[1][i]));

  Shape shape;
  shape.loss = served == optimum ? 0 : tuner::paired_speedup(samples[2], samples[0]) - 1;
  shape.slower_than_default = served != fallback && tuner::mean_interval(over_default).low > std::log(1.01);
  const runtime::Selection& selection = ranking.candidates.front().selection;
  std::printf(
      "{\"problem\":\"%s\",\"match\":\"%s\",\"served_ns\":%.1f,\"default_ns\":%.1f,\"optimum_ns\":%.1f,"
      "\"loss\":%.5f,",
      instance.problem().text().c_str(), runtime::to_string(selection.match), tuner::median(samples[0]),
      tuner::median(samples[1]), tuner::median(samples[2]), shape.loss);
  if (selection.expected_loss) std::printf("\"expected_loss\":%.5f,", *selection.expected_loss);
  std::printf("\"slower_than_default\":%s,\"served\":\"%s\",\"optimum\":\"%s\"}\n",
              shape.slower_than_default ? "true" : "false", selection.config.c_str(),
              spec::to_text(instance.spec(), optimum).c_str());
  std::fflush(stdout);
  return shape;
}

int run(const Options& options) {
  const spec::TemplatePtr spec = spec::find_template(options.kernel);
  const db::Store store = db::Store::open(options.database, db::OpenMode::read_only);
  tuner::WorkerOptions workers;
  workers.ordinal = options.ordinal;
  workers.cache_folder = runtime::default_cache_folder();
  tuner::WorkerSession session(workers);
  const std::vector<db::StoredWinner> rows =
      store.winners(runtime::device_key(session.device().traits), spec->name);
  std::mt19937_64 random(options.seed);
  std::vector<double> losses;
  int slower = 0, tries = 0;
  while (static_cast<int>(losses.size()) < options.shapes) {
    if (++tries > 100 * options.shapes)
      throw Error(ErrorKind::bad_input, "there are too few untuned shapes in these ranges", "widen --dims");
    const spec::Problem problem = draw(options, random);
    const spec::Instance instance(spec, problem, session.device().traits);
    const runtime::Selector selector(instance, {}, rows,
                                     [&](std::int64_t of_run) { return store.neighbour_times(of_run); });
    constexpr std::int64_t alignment_bytes = 256;  // of the evaluator's operands
    const runtime::Ranking ranking = selector.rank(instance.problem().dims, alignment_bytes, {});
    if (ranking.candidates.front().selection.match == runtime::Match::tuned) continue;
    const std::unique_ptr<tuner::Evaluator> evaluator = session.open(spec, problem);
    const Shape shape = measure(*evaluator, ranking, options);
    losses.push_back(shape.loss);
    slower += shape.slower_than_default ? 1 : 0;
  }
  std::printf("{\"shapes\":%zu,\"loss_median\":%.5f,\"loss_worst\":%.5f,\"slower_than_default\":%d}\n",
              losses.size(), tuner::median(losses), *std::max_element(losses.begin(), losses.end()), slower);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const Error& error) {
    std::fprintf(stderr, "neighbours_bench: %s\n", error.full_text().c_str());
    return error.kind() == ErrorKind::usage ? 2 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "neighbours_bench: %s\n", error.what());
    return 1;
  }
}
