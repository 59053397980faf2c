// What the report computes: shares of variance, and configs packed into characters.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include <warptune/base/error.hpp>

#include "tests/tuner/support/temporary_folder.hpp"
#include "tuner/report/html/packed_configs.hpp"
#include "tuner/report/html/report_data.hpp"
#include "tuner/report/html/report_page.hpp"
#include "tuner/report/variance.hpp"

namespace warptune::tuner {
namespace {

db::NamedValues config(std::int64_t a, std::int64_t b, std::int64_t c) {
  return {{"A", a}, {"B", b}, {"C", c}};
}

std::map<std::string, double> shares(double (*log_time)(std::int64_t, std::int64_t, std::int64_t)) {
  std::vector<db::NamedValues> configs;
  for (std::int64_t a : {0, 1})
    for (std::int64_t b : {0, 1})
      for (std::int64_t c : {0, 1}) configs.push_back(config(a, b, c));
  std::vector<TimedConfig> timed;
  for (const db::NamedValues& each : configs) {
    const auto value = [&](const char* name) { return std::get<std::int64_t>(each.at(name)); };
    timed.push_back({&each, std::exp(log_time(value("A"), value("B"), value("C")))});
  }
  return variance_shares(timed);
}

TEST(Variance, OneTunableExplainsAll) {
  const auto found =
      shares([](std::int64_t a, std::int64_t, std::int64_t) { return static_cast<double>(a); });
  EXPECT_NEAR(found.at("A"), 1, 1e-12);
  EXPECT_EQ(found.at("B"), 0);
}

TEST(Variance, IsEpsilonSquared) {
  // Log times 2 a + b: SS_total 10, SS_A 8, SS_B 2, SS_C 0, each with 1 and 6 degrees of freedom.
  // A: (8 - (10 - 8) / 6) / 10 = 0.76667; B: (2 - (10 - 2) / 6) / 10 = 0.06667; C: below 0.
  const auto found =
      shares([](std::int64_t a, std::int64_t b, std::int64_t) { return static_cast<double>(2 * a + b); });
  EXPECT_NEAR(found.at("A"), 0.766667, 1e-6);
  EXPECT_NEAR(found.at("B"), 0.066667, 1e-6);
  EXPECT_EQ(found.at("C"), 0);
}

TEST(Variance, WhatActsOnlyTogetherIsNobodys) {
  const auto found = shares([](std::int64_t a, std::int64_t b, std::int64_t) { return a == b ? 0.0 : 1.0; });
  EXPECT_EQ(found.at("A"), 0);
  EXPECT_EQ(found.at("B"), 0);
}

TEST(Variance, SaysNothingWithoutDataOrDifferences) {
  const db::NamedValues one = config(0, 0, 0);
  EXPECT_TRUE(variance_shares({{&one, 1.0}}).empty());
  EXPECT_TRUE(shares([](std::int64_t, std::int64_t, std::int64_t) { return 1.0; }).empty());
}

// data.js in C++: digits of base 64.
std::int64_t unpack(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::int64_t value = 0;
  for (const char c : text) value = value * 64 + static_cast<std::int64_t>(digits.find(c));
  return value;
}

TEST(ConfigPacker, KeepsConfigsAndTimes) {
  ConfigPacker packer;
  for (std::int64_t a = 0; a < 5; ++a)
    for (std::int64_t b = 0; b < 30; ++b)
      packer.learn({{"A", a}, {"B", std::string("word") + std::to_string(b)}});
  packer.finish();
  EXPECT_EQ(packer.code_digits(), 2) << "150 configs";
  db::OutcomeRecord outcome;
  outcome.status = "ok";
  // Words are in order of text, "word0" < "word1" < "word10": word10 has index 2, so the code is 3 * 30 + 2.
  outcome.config = {{"A", std::int64_t{3}}, {"B", std::string("word10")}};
  for (const double ratio : {1.0, 1.00007, 2.5, 1e6}) {
    outcome.time_ns = 1000 * ratio;
    std::string text;
    packer.pack(outcome, 1000, text);
    ASSERT_EQ(text.size(), 5U);
    EXPECT_EQ(unpack(text.substr(0, 2)), 92);
    EXPECT_NEAR(std::exp(static_cast<double>(unpack(text.substr(2))) * packed_time_step) / ratio, 1, 0.6e-4);
  }
  outcome.status = "crashed";
  std::string text;
  packer.pack(outcome, 0, text);
  EXPECT_EQ(packed_statuses().at(static_cast<std::size_t>(unpack(text.substr(2)) - packed_first_status())),
            "crashed");
}

TEST(ConfigPacker, TunablesThatSomeConfigsLackHaveAValueForIt) {
  ConfigPacker packer;
  packer.learn({{"A", std::int64_t{1}}});
  packer.learn({{"A", std::int64_t{1}}, {"B", std::int64_t{2}}});
  packer.finish();
  EXPECT_NE(packer.code({{"A", std::int64_t{1}}}),
            packer.code({{"A", std::int64_t{1}}, {"B", std::int64_t{2}}}));
  EXPECT_EQ(json_text(packer.tunables()), R"([{"name":"A","values":[1]},{"name":"B","values":[2,"-"]}])");
}

TEST(ConfigPacker, RefusesMoreThanAScriptCanCount) {
  ConfigPacker packer;
  for (std::int64_t value = 0; value < 200; ++value) {
    db::NamedValues config;
    for (char name = 'A'; name < 'I'; ++name) config[std::string(1, name)] = value;
    packer.learn(config);
  }
  EXPECT_THROW(packer.finish(), Error) << "200^8 is beyond 2^53";
}

TEST(ReportPage, HoldsTheDataAndNoTagOfIt) {
  const test::TemporaryFolder folder;
  db::Store store = db::Store::open(folder / "tuning.db", db::OpenMode::create);
  db::ProblemKey problem;
  problem.kernel = "</script><b>\"x";
  const std::int64_t run = store.begin_run(problem, {});
  db::OutcomeRecord outcome;
  outcome.status = "ok";
  outcome.time_ns = 5;
  outcome.config = config(1, 2, 3);
  store.add_outcome(run, outcome);
  ReportScope scope;
  scope.wanted = [](const db::ProblemKey&) { return true; };
  scope.state = [](const db::ProblemKey&, const db::Toolchain&) { return std::string("fresh"); };
  const ReportData data = report_data(store, scope);
  EXPECT_EQ(data.configs, 1);
  const std::string page = report_page(data.json);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  const std::string open = "<script id=\"data\" type=\"application/json\">";
  const std::size_t from = page.find(open) + open.size(), to = page.find("</script>", from);
  const auto json = nlohmann::json::parse(page.substr(from, to - from));
  EXPECT_EQ(json["kernels"][0]["name"], problem.kernel);
  EXPECT_EQ(json["kernels"][0]["problems"][0]["best_ns"], 5);
}

}  // namespace
}  // namespace warptune::tuner
