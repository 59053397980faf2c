// The lines that are drawn again and again.
#include "tuner/cli/progress_bar.hpp"
#include "tuner/cli/screen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

namespace warptune::tuner {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TuneProgress progress() {
  TuneProgress progress;
  progress.stage = TuneProgress::Stage::evaluate;
  progress.done = 350;
  progress.total = 700;
  progress.counts = {{OutcomeStatus::ok, 335}, {OutcomeStatus::crashed, 12}, {OutcomeStatus::timed_out, 3}};
  progress.best_ns = 18'200;
  progress.gpu_busy = 0.604;
  return progress;
}

TEST(ProgressLine, SaysHowFarWhatFailedTheBestHowBusyTheGpuIsAndWhatIsLeft) {
  EXPECT_EQ(progress_line(progress(), 12),
            "evaluate [############............] 350/700, 12 crashed, 3 timed_out, best 18.2 us, GPU 60 %, "
            "12 s left");
}

TEST(ProgressLine, ManyKindsOfFailuresAreOneNumber) {
  TuneProgress many = progress();
  many.total = 7000;
  for (const OutcomeStatus status : {OutcomeStatus::compile_error, OutcomeStatus::wrong_result})
    many.counts[status] = 1000;
  const std::string line = progress_line(many, 12);
  EXPECT_THAT(line, HasSubstr(", 2015 failed, best"));
  EXPECT_LE(line.size(), 100u);
}

TEST(ProgressLine, WhatIsNotKnownIsLeftOut) {
  TuneProgress bare = progress();
  bare.gpu_busy.reset();
  bare.best_ns.reset();
  bare.counts = {{OutcomeStatus::excluded, 4}};
  EXPECT_EQ(progress_line(bare, 12), "evaluate [############............] 350/700, 12 s left");
}

TEST(ListLine, SaysHowFarTheListAndEachDeviceIs) {
  TuneProgress race;
  race.stage = TuneProgress::Stage::race;
  race.done = 9;
  EXPECT_EQ(list_line(5, 12, 30, {{"cuda:0", progress()}, {"cuda:1", race}}),
            "5/12 problems, 42 s left; cuda:0 evaluate 350/700 best 18.2 us; cuda:1 race 9");
  EXPECT_EQ(list_line(0, 12, 30, {}), "0/12 problems");
  EXPECT_EQ(list_line(12, 12, 30, {}), "12/12 problems");
}

TEST(ListLine, DevicesThatFindNoRoomAreCounted) {
  std::map<std::string, TuneProgress> eight;
  for (int i = 0; i < 8; ++i) eight["cuda:" + std::to_string(i)] = progress();
  const std::string line = list_line(5, 12, 30, eight);
  EXPECT_LE(line.size(), 100u);
  EXPECT_THAT(line, HasSubstr("; cuda:0 evaluate 350/700 best 18.2 us; 7 more"));
}

TEST(Screen, WithoutATerminalNothingIsDrawn) {
  std::ostringstream err;
  {
    Screen screen(err, false, 2);
    screen.update("cuda:0", progress());
    screen.finish_problem("cuda:0");
    (void)screen.hold();
  }
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace warptune::tuner
