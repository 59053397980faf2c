// The time of the default strategy itself, on a template's space of 2^30 combinations with figures that are known before a launch:
//   proposal_bench [TRIALS] [AT_ONCE] [KIND]
// KIND: what the constraints leave: `all`; `pairs`, constraints of two tunables each; `chain`, each tunable tied to the next;
// `late`, one constraint over all tunables.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <warptune/spec/catalog.hpp>

#include "tuner/search/model_search.hpp"
#include "tuner/search/template_space.hpp"

namespace {

using namespace warptune;

// All admit the default.
std::vector<std::string> constraints_of(const std::string& kind) {
  if (kind == "all") return {};
  if (kind == "pairs")  // one in two million: 8 x 8 x 8
    return {"EXTRA_0 == EXTRA_1",
            "EXTRA_1 == EXTRA_2",
            "EXTRA_2 == EXTRA_3",
            "EXTRA_4 == EXTRA_5",
            "EXTRA_5 == EXTRA_6",
            "EXTRA_6 == EXTRA_7",
            "THREADS * PACK == 64 || THREADS * PACK == 1024"};
  if (kind == "chain") {  // each but the first is the one before or one more
    std::vector<std::string> chain = {"EXTRA_0 <= THREADS / 32", "PACK <= 2 * EXTRA_7"};
    for (int i = 0; i < 7; ++i) {
      const std::string a = "EXTRA_" + std::to_string(i), b = "EXTRA_" + std::to_string(i + 1);
      chain.push_back(b + " == " + a + " || " + b + " == " + a + " + 1");
    }
    return chain;
  }
  if (kind == "late")  // about one in a thousand
    return {
        "(EXTRA_0 * 397 + EXTRA_1 * 263 + EXTRA_2 * 181 + EXTRA_3 * 97 + EXTRA_4 * 53 + EXTRA_5 * 31 + "
        "EXTRA_6 * 17 + "
        "EXTRA_7 * 11 + PACK * 3 + THREADS) % 1000 == 117"};
  throw std::invalid_argument("unknown kind " + kind);
}

spec::TemplatePtr made_template(const std::string& kind) {
  std::string manifest =
      "[kernel]\nname = \"made\"\nsummary = \"y = x\"\nsource = \"made.cu\"\n[problem]\ntypes = { T = "
      "[\"float\"] }\n"
      "dims = [\"n\"]\n[tunables]\nTHREADS = [32, 64, 96, 128, 192, 256, 512, 1024]\nPACK = [1, 2, 4, 8, 16, "
      "32, 64, 128]\n";
  std::string defaults = "[default]\nTHREADS = 64\nPACK = 1\n";
  for (int i = 0; i < 8; ++i) {
    manifest += "EXTRA_" + std::to_string(i) + " = [1, 2, 3, 4, 5, 6, 7, 8]\n";
    defaults += "EXTRA_" + std::to_string(i) + " = 1\n";
  }
  manifest +=
      defaults +
      "[[buffer]]\nname = \"x\"\ntype = \"T\"\nelements = \"n\"\nrole = \"in\"\nfill = \"normal\"\n"
      "[[buffer]]\nname = \"y\"\ntype = \"T\"\nelements = \"n\"\nrole = \"out\"\n"
      "[[step]]\nentry = \"made<{T}, {THREADS}, {PACK}>\"\nargs = [\"x\", \"y\"]\n"
      "grid = [\"ceil_div(n, THREADS * PACK)\"]\nblock = [\"THREADS\"]\n"
      "[check]\noutput = \"y\"\nreference = \"made_reference\"\nargs = [\"x\", \"reference\", \"scale\"]\n"
      "grid = [\"1\"]\nblock = [\"256\"]\n[[check.input]]\nfill = \"normal\"\ntolerance = 1e-5\n"
      "[cost]\nbytes = \"n\"\n";
  for (const std::string& constraint : constraints_of(kind))
    manifest += "[[constraint]]\nexpression = \"" + constraint + "\"\nwhy = \"as it is\"\n";
  return spec::parse_template(manifest, "", "made.toml");
}

spec::Instance instance(const std::string& kind) {
  spec::Problem problem;
  problem.types.emplace("T", "float");
  problem.dims.emplace("n", 1 << 24);
  spec::DeviceTraits device;
  device.model = "made";
  device.compute_capability = 90;
  device.sm_count = 132;
  device.max_shared_bytes = device.shared_bytes_per_sm = 232448;
  return spec::Instance(made_template(kind), problem, device);
}

// A valley in every parameter.
double time_of(const tuner::Point& point) {
  double log_time = 0;
  for (std::size_t i = 0; i < point.size(); ++i)
    log_time += 0.05 * std::abs(static_cast<double>(point[i]) - static_cast<double>(i % 8));
  return std::exp(log_time);
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void run(std::size_t trials, std::size_t at_once, const std::string& kind) {
  tuner::TemplateSpace space(instance(kind));
  const double start = cpu_seconds();
  tuner::ModelSearch model(space, {});
  double longest = 0, best = 1e9;
  std::size_t done = 0;
  while (done < trials) {
    const double before = cpu_seconds();
    const std::vector<tuner::Point> points = model.ask(std::min(at_once, trials - done));
    if (points.empty()) break;
    for (const tuner::Point& point : points) {
      best = std::min(best, time_of(point));
      space.know(point, {32 + 8 * point[0], 0, 0, 1024});
      model.tell({point, time_of(point), 0.01});
    }
    done += points.size();
    longest = std::max(longest, cpu_seconds() - before);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%s: %zu trials, %zu at once: %.2f ms of CPU a proposal, the longest step %.0f ms, best %.2f, %.0f "
      "MiB\n",
      kind.c_str(), done, at_once, 1e3 * (cpu_seconds() - start) / static_cast<double>(done), 1e3 * longest,
      best, static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 400),
        static_cast<std::size_t>(argc > 2 ? std::atoll(argv[2]) : 1), argc > 3 ? argv[3] : "all");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
