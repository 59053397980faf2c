// What is lost where nothing was tuned: shapes drawn between the tuned ones, each with what the database serves there, the default,
// and the best that a search of --seconds finds there, in the same paired rounds.
//
//   neighbours_bench KERNEL --db FILE [--types T=half]... --dims n=2^16..2^24 [--dims h=512,768]... [--shapes 40] [--seconds 2.5]
//                    [--limit 150] [--out FILE] [--seed 1] [--device 0]
//
// A dim given as a range is drawn log-uniformly within it, one given as a list from the list; shapes that were tuned are drawn again.
// No shape is begun after --limit seconds. Prints a JSON object per shape and one for all; shapes are appended to --out, and what is
// there already is not measured again: the same command goes on where the one before it was cut short. Losses are against the fastest
// of the three. How many are slower than the default by over 1 % is said with 95 % confidence.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

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
using nlohmann::json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string kernel, database = "tuning.db";
  spec::Problem problem;  // dims that are fixed
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> ranges;
  std::map<std::string, std::vector<std::int64_t>> lists;
  int shapes = 40, ordinal = 0;
  double seconds = 2.5, limit_s = 150;
  std::string out;  // empty: none
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
      options.ranges[name] = {spec::parse_size(value.substr(equals + 1, dots - equals - 1)),
                              spec::parse_size(value.substr(dots + 2))};
    } else if (option == "--dims" && value.find(',') != std::string::npos) {
      std::istringstream words(value.substr(equals + 1));
      for (std::string word; std::getline(words, word, ',');)
        options.lists[name].push_back(spec::parse_size(word));
    } else if (option == "--dims") {
      options.problem.dims[name] = spec::parse_size(value.substr(equals + 1));
    } else if (option == "--db") {
      options.database = value;
    } else if (option == "--shapes") {
      options.shapes = std::atoi(value.c_str());
    } else if (option == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (option == "--limit") {
      options.limit_s = std::atof(value.c_str());
    } else if (option == "--out") {
      options.out = value;
    } else if (option == "--seed") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (option == "--device") {
      options.ordinal = std::atoi(value.c_str());
    } else {
      fail("unknown option " + option);
    }
  }
  if ((options.ranges.empty() && options.lists.empty()) || options.shapes < 1 || options.seconds <= 0)
    fail("a range or a list in --dims, shapes and seconds above 0 are needed");
  return options;
}

spec::Problem draw(const Options& options, std::mt19937_64& random) {
  spec::Problem problem = options.problem;
  for (const auto& [name, range] : options.ranges) {
    std::uniform_real_distribution<double> logarithm(std::log(static_cast<double>(range.first)),
                                                     std::log(static_cast<double>(range.second)));
    problem.dims[name] = static_cast<std::int64_t>(std::llround(std::exp(logarithm(random))));
  }
  for (const auto& [name, values] : options.lists)
    problem.dims[name] = values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
  return problem;
}

// Share by which `times` are longer than `than`, paired by round, with its 95 % interval.
struct Longer {
  double share = 0, low = 0, high = 0;
};
Longer longer(const std::vector<double>& times, const std::vector<double>& than) {
  std::vector<double> logarithms;
  for (std::size_t i = 0; i < times.size(); ++i) logarithms.push_back(std::log(times[i] / than[i]));
  const auto interval = tuner::mean_interval(logarithms);
  return {tuner::paired_speedup(than, times) - 1, std::expm1(interval.low), std::expm1(interval.high)};
}

json measure(tuner::Evaluator& evaluator, const runtime::Ranking& ranking, const Options& options) {
  constexpr int rounds = 24;
  const auto start = Clock::now();
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
  const spec::Config searched = runtime::read_config(instance.spec(), found.winners.back().config);

  std::vector<tuner::Block> blocks;
  for (const spec::Config* config : {&served, &fallback, &searched})
    blocks.push_back([&evaluator, config] { return evaluator.time_block(*config); });
  const auto samples = tuner::contest(blocks, rounds, options.seed);
  const auto& served_ns = samples[0];
  const auto& default_ns = samples[1];
  const bool default_is_best = tuner::paired_speedup(samples[1], samples[2]) > 1;
  const spec::Config& optimum = default_is_best ? fallback : searched;
  const Longer loss = served == optimum ? Longer{} : longer(served_ns, samples[default_is_best ? 1 : 2]);
  const Longer over_default = served == fallback ? Longer{} : longer(served_ns, default_ns);

  const runtime::Selection& selection = ranking.candidates.front().selection;
  json shape = {{"problem", instance.problem().text()},
                {"match", runtime::to_string(selection.match)},
                {"served_ns", tuner::median(served_ns)},
                {"default_ns", tuner::median(default_ns)},
                {"optimum_ns", tuner::median(samples[default_is_best ? 1 : 2])},
                // Where what is served was the fastest nothing is lost.
                {"loss", std::max(loss.share, 0.0)},
                {"loss_low", std::max(loss.low, 0.0)},
                {"loss_high", std::max(loss.high, 0.0)},
                {"over_default", over_default.share},
                {"slower_than_default", over_default.low > 0.01},
                {"log2_distance", selection.log2_distance},
                {"served", selection.config},
                {"optimum", spec::to_text(instance.spec(), optimum)},
                {"configs_measured", found.counts.at(tuner::OutcomeStatus::ok)},
                {"seconds", std::chrono::duration<double>(Clock::now() - start).count()}};
  if (selection.expected_loss) shape["expected_loss"] = *selection.expected_loss;
  return shape;
}

// Shapes that a run before this one measured, by problem.
std::map<std::string, json> measured_before(const std::string& path) {
  std::map<std::string, json> shapes;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    json shape = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!shape.is_object() || !shape.contains("problem")) continue;
    const std::string problem = shape["problem"];
    shapes[problem] = std::move(shape);
  }
  return shapes;
}

json summary(const std::vector<json>& shapes) {
  std::vector<double> losses;
  const json* worst = &shapes.front();
  int slower = 0;
  for (const json& shape : shapes) {
    losses.push_back(shape["loss"]);
    if (shape["loss"] > (*worst)["loss"]) worst = &shape;
    slower += shape["slower_than_default"].get<bool>() ? 1 : 0;
  }
  return {{"shapes", shapes.size()},         {"loss_median", tuner::median(losses)},
          {"loss_worst", (*worst)["loss"]},  {"loss_worst_low", (*worst)["loss_low"]},
          {"worst_at", (*worst)["problem"]}, {"slower_than_default", slower}};
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
  const std::map<std::string, json> before =
      options.out.empty() ? std::map<std::string, json>() : measured_before(options.out);
  const auto start = Clock::now();
  std::vector<json> shapes;
  int tries = 0;
  while (static_cast<int>(shapes.size()) < options.shapes) {
    if (++tries > 100 * options.shapes)
      throw Error(ErrorKind::bad_input, "there are too few untuned shapes in these ranges", "widen --dims");
    const spec::Problem problem = draw(options, random);
    const spec::Instance instance(spec, problem, session.device().traits);
    if (const auto known = before.find(instance.problem().text()); known != before.end()) {
      shapes.push_back(known->second);
      continue;
    }
    const runtime::Selector selector(instance, {}, rows,
                                     [&](std::int64_t of_run) { return store.neighbour_times(of_run); });
    constexpr std::int64_t alignment_bytes = 256;  // of the evaluator's operands
    const runtime::Ranking ranking = selector.rank(instance.problem().dims, alignment_bytes, {});
    if (ranking.candidates.front().selection.match == runtime::Match::tuned) continue;
    if (std::chrono::duration<double>(Clock::now() - start).count() > options.limit_s) break;
    const std::unique_ptr<tuner::Evaluator> evaluator = session.open(spec, problem);
    shapes.push_back(measure(*evaluator, ranking, options));
    const std::string line = shapes.back().dump();
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    if (!options.out.empty()) std::ofstream(options.out, std::ios::app) << line << '\n';
  }
  if (shapes.empty()) throw Error(ErrorKind::usage, "no shape was measured", "raise --limit");
  std::printf("%s\n", summary(shapes).dump().c_str());
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
