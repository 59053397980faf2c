// Figures that are known before a launch.
#include "tuner/search/template_space.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/tuner/support/mini_template.hpp"

namespace warptune::tuner {
namespace {

using test::mini_config;

class TemplateSpaceFeatures : public testing::Test {
 protected:
  spec::Problem problem_ = test::mini_problem("__half");
  TemplateSpace space_{spec::Instance(test::mini_template(), problem_, test::h200())};
};

// 64 threads with 4 elements each: ceil(n / 256) blocks; an SM holds 32 of them (its limit), 2048 threads.
TEST_F(TemplateSpaceFeatures, OfTheLaunchPlan) {
  const double blocks = std::ceil(static_cast<double>(problem_.dims.at("n")) / 256);
  const std::vector<double> figures = space_.features(space_.point(mini_config(64, 4)));
  ASSERT_EQ(figures.size(), 9U);
  EXPECT_EQ(figures[0], 6) << "threads per block";
  EXPECT_NEAR(figures[1], std::log2(blocks), 1e-12);
  EXPECT_NEAR(figures[2], std::log2(64 * blocks), 1e-12) << "threads in all";
  EXPECT_NEAR(figures[3], std::log2(std::ceil(blocks / (32 * 132))), 1e-12) << "waves";
  EXPECT_EQ(figures[4], 11) << "resident threads";
  EXPECT_EQ(figures[5], 0) << "dynamic shared memory";
  EXPECT_EQ(figures[6], 3) << "four halves a load";
  EXPECT_EQ(figures[7], 0) << "nothing was compiled yet";
}

TEST_F(TemplateSpaceFeatures, OfCompiledCodeComeFromTheConfigMostAlike) {
  space_.know(space_.point(mini_config(32, 1)), {32, 0, 0, 1024});
  EXPECT_EQ(space_.features(space_.point(mini_config(256, 4)))[7], 5) << "the only one that is known";
  space_.know(space_.point(mini_config(256, 2)), {128, 16, 0, 1024});
  const std::vector<double> like_the_second = space_.features(space_.point(mini_config(256, 4)));
  EXPECT_EQ(like_the_second[7], 7);
  EXPECT_EQ(like_the_second[8], 4) << "16 bytes of local memory";
  EXPECT_EQ(space_.features(space_.point(mini_config(32, 1)))[7], 5);
  // 128 registers x 256 threads: 65536 registers hold 2 blocks, 512 threads.
  EXPECT_EQ(like_the_second[4], 9);
}

TEST_F(TemplateSpaceFeatures, AFailureWithoutRegistersTeachesNothing) {
  space_.know(space_.point(mini_config(32, 1)), {});
  EXPECT_EQ(space_.features(space_.point(mini_config(32, 1)))[7], 0);
}

}  // namespace
}  // namespace warptune::tuner
