// The line of the progress bar.
#include "tuner/cli/progress_bar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace warptune::tuner
