// From what an application missed to tuned rows: the list that the runtime writes, `tune --misses`, and tuning from inside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <warptune/runtime/problem_key.hpp>
#include <warptune/tuner/miss_tuner.hpp>

#include "runtime/dispatch/miss_file.hpp"
#include "tests/support/stub_device.hpp"
#include "tests/tuner/worker/tuning_program.hpp"
#include "tests/tuner/worker/worker_fixture.hpp"

namespace warptune::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Misses : public TuningProgram {
 protected:
  Misses() { write_faulty_template(folder_ / "", R"("right")"); }

  runtime::Miss miss(std::int64_t n, int ordinal = 0) const {
    return {spec::load_template(manifest()), faulty_problem(n), "cold",
            faulty_device(folder_ / "", ordinal)->info(), folder_ / "tuning.db"};
  }
  std::string line(std::int64_t n, int ordinal = 0) const {
    return runtime::miss_line(manifest(), miss(n, ordinal)) + "\n";
  }
  std::string manifest() const { return (folder_ / "faulty.toml").string(); }
  void write_list(const std::string& text) const { std::ofstream(folder_ / "list") << text; }
  ProgramResult tune_list(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"tune",       "--misses",          "list", "--json", "--strategy",
                                      "exhaustive", "--compile-workers", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  static std::vector<int> started(const ProgramResult& result) {
    std::vector<int> dims;
    for (const Json& event : events(result.out, "start")) dims.push_back(event.at("dims").at("n").get<int>());
    return dims;
  }
};

TEST_F(Misses, WhatWasAskedForMostIsTunedFirstAndOnce) {
  write_list(line(500) + line(700) + line(900) + line(700) + line(900) + line(900));
  const ProgramResult first = tune_list();
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(started(first), ElementsAre(900, 700, 500));
  EXPECT_THAT(first.err, HasSubstr("rm list"));
  std::vector<std::int64_t> tuned;
  for (const db::StoredWinner& winner : open().winners()) tuned.push_back(winner.problem.free_dims.at("n"));
  EXPECT_THAT(tuned, ::testing::UnorderedElementsAre(500, 700, 900));

  write_list(line(500) + line(600));
  const ProgramResult second = tune_list();
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(started(second), ElementsAre(600));
  EXPECT_THAT(second.err, HasSubstr("1 of the problems were tuned before"));
  EXPECT_THAT(started(tune_list({"--fresh"})), ElementsAre(500, 600));
}

TEST_F(Misses, BadLinesAreToldByNumberAndTheRestIsTuned) {
  std::string other_kernel = line(500), zero = line(500), type = line(500);
  other_kernel.replace(other_kernel.find(manifest()), manifest().size(), "nothing");
  zero.replace(zero.find("500"), 3, "0");
  type.replace(type.find("float"), 5, "floot");
  write_list(line(500) + "{\"warptune_mi\n" + "\n" + other_kernel + zero + type + "[1, 2]\n" +
             std::string("\xff\xfe\n") + line(800));
  const ProgramResult result = tune_list();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(started(result), ElementsAre(500, 800));
  for (const int number : {2, 4, 5, 6, 7, 8})
    EXPECT_THAT(result.err, HasSubstr("list: line " + std::to_string(number) + " is left out: "));
  for (const int number : {1, 3, 9})
    EXPECT_THAT(result.err, Not(HasSubstr("line " + std::to_string(number) + " ")));
}

TEST_F(Misses, WhatOtherGpusAskedForIsLeftOut) {
  write_list(line(500) + line(600, 7));
  const ProgramResult result = tune_list();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(started(result), ElementsAre(500));
  EXPECT_THAT(result.err, HasSubstr("1 of the problems were asked for on other GPUs"));
}

TEST_F(Misses, AListWithoutAnyProblemIsAnError) {
  write_list("\n");
  const ProgramResult empty = tune_list();
  EXPECT_EQ(empty.code, 1);
  EXPECT_THAT(empty.err, HasSubstr("names no problem to tune"));
  EXPECT_EQ(run({"tune", "--misses", "missing"}).code, 1);
  EXPECT_EQ(run({"tune"}).code, 2);
  EXPECT_EQ(run({"tune", "dot", "--misses", "list"}).code, 2);
}

TEST_F(Misses, TunedFromInsideAnApplication) {
  tuner::MissTuning how;
  how.workers = faulty_options(folder_ / "");
  how.tune.budget.seconds = 20;
  const runtime::TuneMiss tune = tuner::miss_tuner(how);
  const std::vector<db::StoredWinner> winners = tune(miss(1000));
  ASSERT_EQ(winners.size(), 1u);
  EXPECT_EQ(std::get<std::string>(winners[0].winner.config.at("KIND")), "right");
  EXPECT_FALSE(winners[0].winner.certified) << "the application may use the GPU too";
  const std::vector<db::StoredWinner> stored = open().winners();
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0].problem, winners[0].problem);
  EXPECT_EQ(stored[0].winner.config, winners[0].winner.config);
  EXPECT_TRUE(no_worker_stays(folder_ / ""));
}

TEST_F(Misses, AnotherGpuUnderThatNumberIsNotTuned) {
  tuner::MissTuning how;
  how.workers = faulty_options(folder_ / "");
  runtime::Miss elsewhere = miss(1000);
  elsewhere.device.bus_id = "0000:ff:00";
  try {
    tuner::miss_tuner(how)(elsewhere);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::no_device);
  }
}

}  // namespace
}  // namespace warptune::test
