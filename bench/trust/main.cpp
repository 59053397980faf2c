// Whether the measurement can be believed: tests on a card, each printing rows of one table.
//   trust_bench TEST [ARGUMENTS]      docs/results has what they gave
//     repeat                30 configs x 3 durations, two processes
//     ratio                 work 1, 2, 4, 8 against f + k w
//     equals [RACES [SEED]] one kernel under 32 names; SEED: of the first race, default 1
//     profiler              50 configs against ncu, which must be on PATH
//     regret [PROBLEM...]   tunes against an interleaved truth; problems 0 to 4, default all
//     sabotage              idle, load, compilers, zeros, hot, and a second process
//     contended [RUNS [SEED]]  whole decisions, alone and beside a second process; SEED: of the first
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "bench/trust/companion.hpp"
#include "bench/trust/trust.hpp"

int main(int argc, char** argv) {
  using namespace warptune::trust;
  const std::map<std::string, void (*)(Card&, const std::vector<std::string>&)> tests = {
      {"repeat", repeat}, {"ratio", known_ratio}, {"equals", equals},      {"profiler", profiler},
      {"regret", regret}, {"sabotage", sabotage}, {"contended", contended}};
  const std::string name = argc > 1 ? argv[1] : "";
  const auto test = tests.find(name);
  if (test == tests.end() && (name != "companion" || argc != 3)) {
    std::fprintf(stderr,
                 "usage: trust_bench repeat|ratio|equals|profiler|regret|sabotage|contended [ARGUMENTS]\n");
    return 2;
  }
  try {
    if (name == "companion") return keep_company(argv[2]);
    Card card;
    test->second(card, {argv + 2, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trust_bench: %s\n", error.what());
    return 1;
  }
}
