// What a comparison stores about libraries.
#include "tuner/bench/library_times.hpp"

#include <gtest/gtest.h>

#include <warptune/runtime/problem_key.hpp>
#include <warptune/spec/catalog.hpp>

namespace warptune::tuner {
namespace {

class LibraryTimesTest : public ::testing::Test {
 protected:
  LibraryTimesTest() {
    Standing tuned;
    tuned.name = "tuned";
    tuned.role = Role::tuned;
    tuned.config = spec_->default_config;
    tuned.time_ns = 18000;
    tuned.speedup = {{"cublas", 1.25}, {"torch", 1.5}};
    Standing plain = tuned;
    plain.name = "default";
    plain.role = Role::standard;
    plain.time_ns = 21000;
    Standing cublas;
    cublas.name = "cublas";
    cublas.role = Role::library;
    cublas.call = "cublasDotEx";
    cublas.version = "13.1.0";
    cublas.time_ns = 22500;
    cublas.interval_low_ns = 22400;
    cublas.interval_high_ns = 22600;
    cublas.samples = 24;
    Standing torch = cublas;  // took no part
    torch.name = "torch";
    torch.time_ns.reset();
    standings_ = {tuned, plain, cublas, torch};
  }

  std::vector<db::ReferenceTime> times() const {
    return library_times(*spec_, runtime::problem_key(instance_, "cold"),
                         {13000, "580.1", "13.0", "", "0.1.0"}, standings_);
  }

  spec::TemplatePtr spec_ = spec::find_template("dot");
  spec::Instance instance_{spec_, {{{"T", "__half"}}, {{"n", 1024}}, {}, {}}, spec::DeviceTraits{}};
  std::vector<Standing> standings_;
};

TEST_F(LibraryTimesTest, HaveTheProblemAndOursOfTheSameRounds) {
  const auto all = times();
  ASSERT_EQ(all.size(), 1U);
  const db::ReferenceTime& time = all[0];
  EXPECT_EQ(time.kernel, "dot");
  EXPECT_EQ(time.types, (std::map<std::string, std::string>{{"T", "__half"}}));
  EXPECT_EQ(time.dims, (std::map<std::string, std::int64_t>{{"n", 1024}}));
  EXPECT_EQ(time.policy, "cold");
  EXPECT_EQ(time.library, "cublas");
  EXPECT_EQ(time.call, "cublasDotEx");
  EXPECT_EQ(time.library_version, "13.1.0");
  EXPECT_EQ(time.toolchain.driver_name, "580.1");
  EXPECT_EQ(time.time_ns, 22500);
  EXPECT_EQ(time.interval_low_ns, 22400);
  EXPECT_EQ(time.interval_high_ns, 22600);
  EXPECT_EQ(time.samples, 24);
  ASSERT_TRUE(time.beside);
  EXPECT_EQ(time.beside->time_ns, 18000);
  EXPECT_EQ(time.beside->speedup, 1.25);
  EXPECT_EQ(runtime::read_config(*spec_, time.beside->config), spec_->default_config);
}

TEST_F(LibraryTimesTest, WithoutATunedConfigNothingStandsBeside) {
  standings_.erase(standings_.begin());
  ASSERT_EQ(times().size(), 1U);
  EXPECT_FALSE(times()[0].beside) << "the default is not what a caller of a tuned database gets";
}

}  // namespace
}  // namespace warptune::tuner
