#include <warptune/spec/space.hpp>

#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <set>

#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

using test::changed;

double cpu_seconds(const std::function<void()>& action) {
  const std::clock_t start = std::clock();
  action();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

Space dot_space(const char* type, Numerics allowed) {
  Problem problem;
  problem.types["T"] = type;
  problem.dims["n"] = 1 << 20;
  problem.allowed = allowed;
  return Space(Instance(find_template("dot"), problem, test::h200()));
}

// The constraints of dot as plain loops.
std::int64_t dot_count(int element_bytes, bool is_half, bool approx, bool nondeterministic) {
  std::int64_t count = 0;
  for ([[maybe_unused]] int threads : {32, 64, 128, 256, 512, 1024})
    for (int pack : {1, 2, 4, 8})
      for ([[maybe_unused]] int unroll : {1, 2, 4, 8})
        for ([[maybe_unused]] int blocks : {0, 1, 2, 4, 8, 16})
          for (bool half2 : {false, true})
            for (int finish : {0, 1, 2}) {
              const bool fits = pack * element_bytes <= 16 && (!half2 || (is_half && pack >= 2));
              count += fits && (!half2 || approx) && (finish != 2 || nondeterministic);
            }
  return count;
}

TEST(DotSpace, CountsAreThoseOfPlainLoops) {
  for (bool approx : {false, true}) {
    for (bool nondeterministic : {false, true}) {
      const Numerics allowed{approx, nondeterministic};
      EXPECT_EQ(dot_space("float", allowed).count(), dot_count(4, false, approx, nondeterministic));
      EXPECT_EQ(dot_space("half", allowed).count(), dot_count(2, true, approx, nondeterministic));
      EXPECT_EQ(dot_space("bf16", allowed).count(), dot_count(2, false, approx, nondeterministic));
    }
  }
  EXPECT_EQ(dot_space("half", {true, true}).count(), 3024);
  EXPECT_EQ(dot_space("half", {true, true}).cartesian_size(), 3456);
}

TEST(DotSpace, ReportAccountsForEveryConfig) {
  const SpaceReport report = dot_space("float", {}).report();
  std::int64_t excluded = 0;
  for (const ExclusionCount& exclusion : report.exclusions) excluded += exclusion.configs;
  EXPECT_EQ(report.cartesian, 3456);
  EXPECT_EQ(report.valid, 864);
  EXPECT_EQ(report.valid + excluded, report.cartesian);
  EXPECT_EQ(report.text().substr(0, 32), "864 of 3456 configs are valid; `");
}

TEST(Space, VisitsInLexicalOrderEachOnceAndStops) {
  const Space space(test::sample_instance());
  std::vector<std::string> texts;
  space.for_each([&](const Config& config) {
    texts.push_back(to_text(space.instance().spec(), config));
    return true;
  });
  EXPECT_EQ(texts,
            (std::vector<std::string>{"THREADS=64 PACK=1 MODE=plain", "THREADS=64 PACK=2 MODE=plain",
                                      "THREADS=128 PACK=1 MODE=plain", "THREADS=128 PACK=2 MODE=plain",
                                      "THREADS=256 PACK=1 MODE=plain", "THREADS=256 PACK=2 MODE=plain"}));
  int visited = 0;
  space.for_each([&](const Config&) { return ++visited < 2; });
  EXPECT_EQ(visited, 2);
  EXPECT_EQ(space.list().size(), 6u);
}

TEST(Space, ConstraintThatLeavesNothing) {
  const Space space(test::sample_instance(changed("PACK * sizeof(T) <= 8", "n > 5000 && PACK > 0")));
  EXPECT_EQ(space.count(), 0);
  EXPECT_TRUE(space.list().empty());
  std::mt19937_64 random(1);
  EXPECT_EQ(space.sample(random), std::nullopt);
  EXPECT_EQ(space.report().text(),
            "0 of 18 configs are valid; `n > 5000 && PACK > 0` excludes 18 (one load moves at most 8 bytes)");
}

TEST(Space, Neighbours) {
  const Space space(test::sample_instance());
  const auto texts = [&](std::int64_t threads, bool adjacent) {
    std::vector<std::string> result;
    const Config config{{Value::integer(threads), Value::integer(1), Value::word("plain")}};
    for (const Config& other : space.neighbours(config, adjacent))
      result.push_back(to_text(space.instance().spec(), other));
    return result;
  };
  EXPECT_EQ(texts(64, true),
            (std::vector<std::string>{"THREADS=128 PACK=1 MODE=plain", "THREADS=64 PACK=2 MODE=plain"}));
  EXPECT_EQ(texts(64, false),
            (std::vector<std::string>{"THREADS=128 PACK=1 MODE=plain", "THREADS=256 PACK=1 MODE=plain",
                                      "THREADS=64 PACK=2 MODE=plain"}));
}

// A space of ints A, B, ... over 0 .. values-1, with the constraints given.
Space number_space(int tunables, int values, const std::vector<std::string>& constraints) {
  std::string lists, defaults, text = test::sample_manifest;
  for (int i = 0; i < tunables; ++i) {
    const char name = static_cast<char>('A' + i);
    lists += std::string(1, name) + " = [";
    for (int v = 0; v < values; ++v) lists += std::to_string(v) + ",";
    lists += "]\n";
    defaults += std::string(1, name) + " = 0\n";
  }
  text = changed("MODE = [\"plain\", { value = \"quick\", class = \"approx\" }]\n", lists, text);
  text = changed("MODE = \"plain\"\n", defaults, text);
  for (const std::string& constraint : constraints) {
    text += "[[constraint]]\nexpression = \"" + constraint + "\"\nwhy = \"test\"\n";
  }
  // The first two tunables of the sample stay, with one value each.
  text =
      changed("THREADS = [64, 128, 256]", "THREADS = [128]", changed("PACK = [1, 2, 4]", "PACK = [1]", text));
  return Space(test::sample_instance(text));
}

struct Rule {
  const char* text;
  bool (*holds)(int a, int b, int c, int d);
};

// Every rule admits the default, all zeros.
const Rule rules[] = {
    {"A <= B", [](int a, int b, int, int) { return a <= b; }},
    {"A * B <= 6 || C == 0", [](int a, int b, int c, int) { return a * b <= 6 || c == 0; }},
    {"(A + B + C + D) % 3 == 0", [](int a, int b, int c, int d) { return (a + b + c + d) % 3 == 0; }},
    {"D == 0 || C / D < 2", [](int, int, int c, int d) { return d == 0 || c / d < 2; }},
    {"C == 0 || is_pow2(C)", [](int, int, int c, int) { return c == 0 || c == 1 || c == 2 || c == 4; }},
    {"max(B, D) - min(B, D) <= 2", [](int, int b, int, int d) { return b - d <= 2 && d - b <= 2; }},
    {"A != 0 ? D > 0 : true", [](int a, int, int, int d) { return a == 0 || d > 0; }},
    // Fails to evaluate where B is 3, which excludes.
    {"12 / (B - 3) != 100", [](int, int b, int, int) { return b != 3; }},
    {"THREADS == 128", [](int, int, int, int) { return true; }},
};

TEST(Space, PruningEqualsBruteForceOnRandomConstraintSets) {
  std::mt19937_64 random(20240601);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> texts;
    std::vector<const Rule*> chosen;
    for (const Rule& rule : rules) {
      if (random() % 3 != 0) continue;
      chosen.push_back(&rule);
      texts.emplace_back(rule.text);
    }
    const Space space = number_space(4, 6, texts);
    std::vector<std::vector<int>> expected, found;
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 6; ++b)
        for (int c = 0; c < 6; ++c)
          for (int d = 0; d < 6; ++d) {
            bool valid = true;
            for (const Rule* rule : chosen) valid = valid && rule->holds(a, b, c, d);
            if (valid) expected.push_back({a, b, c, d});
          }
    space.for_each([&](const Config& config) {
      std::vector<int> values;
      for (std::size_t i = 2; i < 6; ++i) values.push_back(static_cast<int>(config.values[i].as_integer()));
      found.push_back(values);
      return true;
    });
    ASSERT_EQ(found, expected) << ::testing::PrintToString(texts);
    EXPECT_EQ(space.report().valid, static_cast<std::int64_t>(expected.size()));
  }
}

TEST(Space, SamplingReachesEveryConfigAboutEvenly) {
  const Space space = number_space(3, 4, {"A <= B"});
  ASSERT_EQ(space.count(), 40);
  std::mt19937_64 random(7);
  std::map<std::string, int> counts;
  for (int i = 0; i < 4000; ++i) {
    const auto config = space.sample(random);
    ASSERT_TRUE(config.has_value());
    ++counts[to_text(space.instance().spec(), *config)];
  }
  EXPECT_EQ(counts.size(), 40u);
  for (const auto& [text, count] : counts) {
    EXPECT_GT(count, 50) << text;  // 100 expected, standard deviation 10
    EXPECT_LT(count, 150) << text;
  }
}

TEST(Space, SamplesFromABillionConfigs) {
  const Space space = number_space(9, 10, {"A + B + C + D + E + F + G + H + I < 60"});
  EXPECT_EQ(space.cartesian_size(), 1000000000);
  std::mt19937_64 random(3);
  std::set<std::string> different;
  const double seconds = cpu_seconds([&] {
    for (int i = 0; i < 200; ++i)
      different.insert(to_text(space.instance().spec(), space.sample(random).value()));
  });
  EXPECT_GT(different.size(), 190u);
  EXPECT_LT(seconds, 2.0);
}

TEST(Space, FindsTheTenValidOnesAmongABillion) {
  const Space space =
      number_space(9, 10, {"A == B", "B == C", "C == D", "D == E", "E == F", "F == G", "G == H", "H == I"});
  EXPECT_EQ(space.count(), 10);
  std::mt19937_64 random(5);
  const double seconds = cpu_seconds([&] {
    for (int i = 0; i < 20; ++i) {
      const auto config = space.sample(random);
      ASSERT_TRUE(config.has_value());
      EXPECT_TRUE(space.contains(*config));
    }
  });
  EXPECT_LT(seconds, 2.0);
}

// Ten pairs A == B, five of C and D, five of E and F, a thousand for the rest: one in four thousand.
TEST(Space, DrawsTiedTunablesEvenlyAndCountsThem) {
  const Space space = number_space(9, 10, {"A == B", "C == 2 * D", "E * 2 == F"});
  ASSERT_EQ(space.quick_count(), 10 * 5 * 5 * 1000);
  std::mt19937_64 random(11);
  std::map<std::int64_t, int> of_a, of_f;
  for (int i = 0; i < 2000; ++i) {
    const Config config = space.sample(random).value();
    ASSERT_TRUE(space.contains(config));
    ++of_a[config.values[2].as_integer()];
    ++of_f[config.values[7].as_integer()];
  }
  ASSERT_EQ(of_a.size(), 10U);
  for (const auto& [value, count] : of_a) EXPECT_NEAR(count, 200, 75) << value;  // over five deviations
  ASSERT_EQ(of_f.size(), 5U);
  for (const auto& [value, count] : of_f) EXPECT_NEAR(count, 400, 100) << value;
}

TEST(Space, ListsWhatItCanCountInTheOrderOfAWalk) {
  const Space space = number_space(4, 6, {"A == D", "B <= C"});
  std::vector<Config> walked;
  space.for_each([&](const Config& config) {
    walked.push_back(config);
    return true;
  });
  ASSERT_EQ(space.quick_count(), static_cast<std::int64_t>(walked.size()));
  EXPECT_EQ(space.list(), walked);
}

// 10^7 combinations that one constraint ties together are not listed, but still drawn.
TEST(Space, DrawsWhatIsTooMuchToList) {
  const Space space = number_space(7, 10, {"(A + B + C + D + E + F + G) % 7 == 0"});
  EXPECT_EQ(space.quick_count(), std::nullopt);
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(space.contains(space.sample(random).value()));
}

TEST(Space, HundredThousandConfigsAreVisitedQuickly) {
  const Space space = number_space(5, 10, {"A <= 9 && B <= 9", "(A + E) % 2 <= 1"});
  std::int64_t count = 0;
  const double seconds = cpu_seconds([&] { space.for_each([&](const Config&) { return ++count > 0; }); });
  EXPECT_EQ(count, 100000);
  EXPECT_LT(seconds, 3.0) << "about 0.05 s when optimised, a second with sanitizers";
}

TEST(Space, SaturatesItsSize) {
  EXPECT_EQ(number_space(18, 10, {}).cartesian_size(), 1000000000000000000);
  EXPECT_EQ(number_space(18, 12, {}).cartesian_size(), INT64_MAX) << "12^18 is above 2^63";
}

}  // namespace
}  // namespace warptune::spec
