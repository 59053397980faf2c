// The runtime on a bundle, on a machine without NVRTC and without template files: what runs, from where, and what is refused.
#include <array>
#include <atomic>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>

#include "tests/runtime/bundle_fixture.hpp"

namespace warptune::runtime {
namespace {

using ::testing::AllOf;
using testing::BundleTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run_tally;
using ::testing::SizeIs;
using testing::tally_config;
using testing::TallyOperands;

const db::NamedValues fast = tally_config(128, 4, "one"), twice = tally_config(256, 2, "two");

spec::DeviceTraits another_architecture() {
  spec::DeviceTraits traits = testing::stub_traits();
  traits.model = "Another GPU";
  traits.compute_capability = 86;
  return traits;
}

TEST_F(BundleTest, AWinnerRunsWithoutCompilerOrTemplateFiles) {
  write({{1024, 1, twice}},
        {{twice, "sm_90"}, {default_config(), "sm_90"}, {default_config(), "compute_75"}});
  auto runtime = open_bundle();
  const Kernel tally = kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  EXPECT_EQ(run_tally(tally, operands, 1024), Match::tuned);
  EXPECT_EQ(operands.result(), 1024.0f);
  const std::int64_t dims[] = {1024, 1};
  const Selection selection = tally.select(dims);
  EXPECT_EQ(selection.config, "BLOCK=256 PACK=2 MODE=two");
  EXPECT_FALSE(selection.other_toolchain) << selection.reason;
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_EQ(no_compiler_->uses(), 0);
}

TEST_F(BundleTest, WhatWasNotTunedIsTheBundlesDefault) {
  write({{1024, 1, fast}}, {{fast, "sm_90"}, {default_config(), "sm_90"}, {default_config(), "compute_75"}});
  auto runtime = open_bundle();
  const Kernel tally = kernel(runtime);
  const TallyOperands operands(*device_, 65536);
  EXPECT_EQ(run_tally(tally, operands, 65536), Match::default_config);
  EXPECT_EQ(operands.result(), 65536.0f);
  // What to tune into is no bundle.
  EXPECT_THAT(lines("warptune tune tally"), ::testing::ElementsAre(HasSubstr("--db tuning.db")));
  const std::int64_t dims[] = {65536, 1};
  EXPECT_THAT(tally.select(dims).reason, ::testing::Not(HasSubstr("PTX")));
  EXPECT_EQ(no_compiler_->uses(), 0);
}

TEST_F(BundleTest, AnImageIsLoadedOnceWhateverUsesIt) {
  const db::NamedValues other = tally_config(128, 2, "two");  // shares tally_finish with `twice`
  write({{1024, 1, twice}, {2048, 1, other}}, {{twice, "sm_90"}, {other, "sm_90"}});
  auto runtime = open_bundle();
  const TallyOperands operands(*device_, 2048);
  EXPECT_EQ(run_tally(kernel(runtime), operands, 1024), Match::tuned);
  EXPECT_EQ(device_->load_count(), 2u);
  EXPECT_EQ(run_tally(kernel(runtime), operands, 2048), Match::tuned);
  EXPECT_EQ(device_->load_count(), 3u);
  EXPECT_EQ(operands.result(), 2048.0f);
}

TEST_F(BundleTest, OpensFromMemory) {
  write({{1024, 1, fast}}, {{fast, "sm_90"}, {default_config(), "sm_90"}});
  std::ostringstream text;
  text << std::ifstream(bundle(), std::ios::binary).rdbuf();
  const std::string image = text.str(), before = image;
  std::filesystem::remove(bundle());
  {
    auto runtime = Runtime::open_bundle(std::as_bytes(std::span(image)), options(), device_);
    const TallyOperands operands(*device_, 1024);
    EXPECT_EQ(run_tally(kernel(runtime), operands, 1024), Match::tuned);
    EXPECT_EQ(operands.result(), 1024.0f);
  }
  EXPECT_EQ(image, before);
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_EQ(no_compiler_->uses(), 0);
}

TEST_F(BundleTest, AnUnknownCardComputesFromPtxAndSaysSo) {
  device_ = std::make_shared<testing::StubDevice>(another_architecture());
  testing::define_tally(*device_);
  write({{1024, 1, fast}}, {{fast, "sm_90"}, {default_config(), "sm_90"}, {default_config(), "compute_75"}});
  auto runtime = open_bundle();
  const Kernel tally = kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  EXPECT_EQ(run_tally(tally, operands, 1024), Match::default_config);
  EXPECT_EQ(operands.result(), 1024.0f);
  const std::int64_t dims[] = {1024, 1};
  EXPECT_THAT(tally.select(dims).reason, HasSubstr("PTX"));
  EXPECT_EQ(no_compiler_->uses(), 0);
}

TEST_F(BundleTest, ExactMachineCodeComesBeforePtx) {
  device_ = std::make_shared<testing::StubDevice>(another_architecture());
  testing::define_tally(*device_);
  write({}, {{default_config(), "compute_75"}, {default_config(), "sm_86"}});
  auto runtime = open_bundle();
  const Kernel tally = kernel(runtime);
  const TallyOperands operands(*device_, 1024);
  EXPECT_EQ(run_tally(tally, operands, 1024), Match::default_config);
  const std::int64_t dims[] = {1024, 1};
  EXPECT_THAT(tally.select(dims).reason, ::testing::Not(HasSubstr("PTX")));
}

TEST_F(BundleTest, CodeThatDoesNotFitItsHashIsNeverLoaded) {
  write({{1024, 1, fast}, {2048, 1, twice}},
        {{fast, "sm_90"}, {twice, "sm_90"}, {default_config(), "sm_90"}, {default_config(), "compute_75"}});
  damage("tally<float, 128, 4, Mode::one>", "sm_90");
  auto runtime = open_bundle();
  const Kernel tally = kernel(runtime);
  const TallyOperands operands(*device_, 4096);
  device_->count_launches_by_name();
  for (int call = 0; call < 3; ++call)
    EXPECT_EQ(run_tally(tally, operands, 1024), Match::nearest);  // the next best
  EXPECT_EQ(run_tally(tally, operands, 4), Match::default_config);
  EXPECT_EQ(run_tally(tally, operands, 2048), Match::tuned);
  EXPECT_EQ(operands.result(), 2048.0f);
  EXPECT_FALSE(device_->launches_by_name().contains("tally<float, 128, 4, Mode::one>"));
  EXPECT_THAT(lines("hash"), SizeIs(1));
  EXPECT_EQ(no_compiler_->uses(), 0);
}

TEST_F(BundleTest, ADamagedDefaultGivesWayToItsPtx) {
  write({}, {{default_config(), "sm_90"}, {default_config(), "compute_75"}});
  damage("tally<float, 64, 1, Mode::one>", "sm_90");
  auto runtime = open_bundle();
  const TallyOperands operands(*device_, 1024);
  const Kernel tally = kernel(runtime);
  EXPECT_EQ(run_tally(tally, operands, 1024), Match::default_config);
  EXPECT_EQ(run_tally(tally, operands, 512), Match::default_config);
  EXPECT_EQ(operands.result(), 512.0f);
  EXPECT_THAT(lines("hash"), SizeIs(1));
}

TEST_F(BundleTest, WithNothingThatFitsTheErrorSaysWhatIsMissing) {
  write({}, {{default_config(), "sm_90"}, {default_config(), "compute_75"}});
  damage("tally<float, 64, 1, Mode::one>", "sm_90");
  damage("tally<float, 64, 1, Mode::one>", "compute_75");
  auto runtime = open_bundle();
  const TallyOperands operands(*device_, 1024);
  try {
    run_tally(kernel(runtime), operands, 1024);
    FAIL() << "launched";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::no_device);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("machine code for sm_90"), HasSubstr("PTX"), HasSubstr("NVRTC")));
  }
  EXPECT_EQ(device_->launch_count(), 0u);
}

TEST_F(BundleTest, WhereThereIsACompilerItServesKernelsThatTheBundleLacks) {
  write({}, {});
  RuntimeOptions with_compiler = options();
  with_compiler.compiler = compiler_;
  auto runtime = Runtime::open(bundle(), with_compiler, device_);
  const TallyOperands operands(*device_, 1024);
  EXPECT_EQ(run_tally(kernel(runtime), operands, 1024), Match::default_config);
  EXPECT_EQ(operands.result(), 1024.0f);
}

// Tuned at 2^10 and 2^20; within two octaves the nearest serves, between them the cover, beyond them the default.
TEST_F(BundleTest, TheCoverServesBetweenTunedProblemsAndNotBeyond) {
  const testing::TallyRow small{1 << 10, 1, fast, 16}, large{1 << 20, 1, fast, 16};
  testing::TallyRow small_cover = small, large_cover = large;
  small_cover.config = large_cover.config = twice;
  small_cover.alignment_bytes = large_cover.alignment_bytes = 8;
  write({small, large}, {{fast, "sm_90"}, {twice, "sm_90"}, {default_config(), "sm_90"}},
        {{small_cover, 0.01}, {large_cover, 0.015}});
  auto runtime = open_bundle();
  const Kernel tally = kernel(runtime);
  const auto at = [&](std::int64_t n, std::int64_t k = 1, std::int64_t alignment = 16) {
    const std::int64_t dims[] = {n, k};
    return tally.select(dims, alignment);
  };
  EXPECT_EQ(at(1 << 12).config, "BLOCK=128 PACK=4 MODE=one");
  const Selection between = at(1 << 16);
  EXPECT_EQ(between.match, Match::nearest);
  EXPECT_EQ(between.config, "BLOCK=256 PACK=2 MODE=two");
  EXPECT_EQ(between.tuned_dims.at("n"), 1 << 20);
  EXPECT_DOUBLE_EQ(between.log2_distance, 4);
  EXPECT_THAT(between.reason, AllOf(HasSubstr("cover"), HasSubstr("1.5 %")));
  EXPECT_FALSE(between.expected_ns);
  EXPECT_EQ(at(1 << 15).tuned_dims.at("n"), 1 << 10) << "as far from both: the first one tuned";
  EXPECT_EQ(at(1 << 24).match, Match::default_config);
  EXPECT_EQ(at(2).match, Match::default_config);
  EXPECT_EQ(at(1 << 16, 2).match, Match::default_config) << "another key dim";
  EXPECT_EQ(at(1 << 16, 1, 4).match, Match::default_config) << "PACK=2 needs 8 bytes";
  EXPECT_EQ(at((1 << 16) + 1).match, Match::default_config) << "PACK=2 does not divide it";

  const TallyOperands operands(*device_, 1 << 16);
  EXPECT_EQ(run_tally(tally, operands, 1 << 16), Match::nearest);
  EXPECT_EQ(operands.result(), 65536.0f);
}

TEST_F(BundleTest, ThreadsThatMeetItFirstTogether) {
  write({{1024, 1, fast}, {2048, 1, twice}},
        {{fast, "sm_90"}, {twice, "sm_90"}, {default_config(), "sm_90"}, {default_config(), "compute_75"}});
  auto runtime = open_bundle();
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      const std::int64_t n =
          std::array<std::int64_t, 3>{1024, 2048, 65536}[static_cast<std::size_t>(thread) % 3];
      KernelOptions own;  // half of them share a kernel, the others meet the bundle through another one
      if (thread % 2 == 0) own.allowed.approx = true;
      const Kernel tally = runtime.kernel("tally", {{"T", "float"}}, own);
      const TallyOperands operands(*device_, n);
      const StreamHandle stream = device_->create_stream();
      for (int call = 0; call < 20; ++call) run_tally(tally, operands, n, 1, stream);
      if (operands.result() == static_cast<float>(n)) ++right;
      device_->destroy_stream(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(no_compiler_->uses(), 0);
}

// Whatever byte is wrong: a launch that succeeds computed the right thing, and what fails says so.
TEST_F(BundleTest, AnyDamagedByteGivesARightResultOrAnError) {
  write({{1024, 1, fast}, {2048, 1, twice}},
        {{fast, "sm_90"}, {twice, "sm_90"}, {default_config(), "sm_90"}, {default_config(), "compute_75"}},
        {{{1024, 1, fast, 16}, 0.0}, {{2048, 1, twice, 8}, 0.01}});
  std::ostringstream text;
  text << std::ifstream(bundle(), std::ios::binary).rdbuf();
  const std::string sound = text.str();
  std::mt19937 random(11);
  int right = 0, refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string image = sound;
    for (int i = 0; i < 1 + round % 4; ++i) image[random() % image.size()] = static_cast<char>(random());
    if (round % 10 == 0) image.resize(random() % image.size());
    const std::int64_t n = round % 2 == 0 ? 1024 : 1536;
    const TallyOperands operands(*device_, n);
    try {
      auto runtime = Runtime::open_bundle(std::as_bytes(std::span(image)), options(), device_);
      run_tally(kernel(runtime), operands, n);
      EXPECT_EQ(operands.result(), static_cast<float>(n)) << round;
      ++right;
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::internal) << error.what();
      EXPECT_NE(error.kind(), ErrorKind::database) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(right, 100);
  EXPECT_GT(refused, 10) << "where even the template is gone, there is nothing to run";
}

TEST_F(BundleTest, ADamagedBundleIsOneWarningAndDefaults) {
  for (const char* noise : {"", "no database at all, but some text that is long enough to be read"}) {
    std::ofstream(bundle(), std::ios::binary) << noise;
    RuntimeOptions with_compiler = options();
    with_compiler.compiler = compiler_;
    const std::size_t before = lines().size();
    auto runtime = Runtime::open(bundle(), with_compiler, device_);
    const TallyOperands operands(*device_, 1024);
    EXPECT_EQ(run_tally(DispatchTest::kernel(runtime), operands, 1024), Match::default_config);
    EXPECT_EQ(operands.result(), 1024.0f);
    EXPECT_LE(lines().size() - before, 2u) << "the file, and the notice";
  }
}

}  // namespace
}  // namespace warptune::runtime
