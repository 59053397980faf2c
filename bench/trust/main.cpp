// Whether the measurement can be believed: six tests on a card, each printing rows of one table.
//   trust_bench TEST [ARGUMENTS]      docs/results has what they gave
//     repeat                30 configs x 3 durations, two processes
//     ratio                 work 1, 2, 4, 8 against f + k w
//     equals [RACES]        one kernel under 32 names
//     profiler              50 configs against ncu, which must be on PATH
//     regret [PROBLEM...]   tunes against an interleaved truth; problems 0 to 4, default all
//     sabotage [RUNS]       idle, load, zeros, hot, and a second process
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "bench/trust/trust.hpp"

int main(int argc, char** argv) {
  using namespace warptune::trust;
  const std::map<std::string, void (*)(Card&, const std::vector<std::string>&)> tests = {
      {"repeat", repeat},     {"ratio", known_ratio}, {"equals", equals},
      {"profiler", profiler}, {"regret", regret},     {"sabotage", sabotage}};
  const auto test = tests.find(argc > 1 ? argv[1] : "");
  if (test == tests.end()) {
    std::fprintf(stderr, "usage: trust_bench repeat|ratio|equals|profiler|regret|sabotage [ARGUMENTS]\n");
    return 2;
  }
  try {
    Card card;
    test->second(card, {argv + 2, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trust_bench: %s\n", error.what());
    return 1;
  }
}
