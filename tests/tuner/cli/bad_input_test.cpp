// Wrong command lines and files: one line, the right exit code, nothing damaged.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/tuner/cli/program.hpp"

namespace warptune::test {
namespace {

using Words = std::vector<std::string>;

struct BadInput {
  const char* name;
  Words words;
  int code;
  const char* says;  // part of the line
};

const char* const device = "recorded:recording.db";

std::vector<BadInput> bad_inputs() {
  const auto tune = [](Words more) {
    Words words = {"tune", "--device", device, "--db", "new.db"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  return {
      {"no_command", {}, 2, "--help"},
      {"unknown_command", {"tuen"}, 2, "'tune'"},
      {"unknown_option", tune({"dot", "--dmis", "n=1"}), 2, "--dims"},
      {"unknown_kernel", tune({"dott", "--types", "T=half", "--dims", "n=1"}), 1, "dot"},
      {"unknown_type", tune({"dot", "--types", "T=haalf", "--dims", "n=1"}), 1, "haalf"},
      {"unknown_type_parameter", tune({"dot", "--types", "S=half", "--dims", "n=1"}), 1, "'S'"},
      {"unknown_dim", tune({"dot", "--types", "T=half", "--dims", "m=1"}), 1, "'m'"},
      {"missing_dim", tune({"dot", "--types", "T=half"}), 1, "--dims n="},
      {"missing_type", tune({"dot", "--dims", "n=1"}), 1, "--types T="},
      {"negative_dim", tune({"dot", "--types", "T=half", "--dims", "n=-1"}), 1, "negative"},
      {"overflowing_dim", tune({"dot", "--types", "T=half", "--dims", "n=2^64"}), 1, "2^63-1"},
      {"zero_dim", tune({"dot", "--types", "T=half", "--dims", "n=0"}), 1, "n = 0"},
      {"dim_without_name", tune({"dot", "--types", "T=half", "--dims", "1024"}), 1, "1024"},
      {"dim_not_a_number", tune({"dot", "--types", "T=half", "--dims", "n=many"}), 1, "'many'"},
      {"unknown_attribute", tune({"dot", "--types", "T=half", "--dims", "n=1", "--attributes", "id=any"}), 1,
       "'id'"},
      {"unknown_class", tune({"dot", "--types", "T=half", "--dims", "n=1", "--allow", "aprox"}), 2,
       "'approx'"},
      {"unknown_strategy", tune({"dot", "--types", "T=half", "--dims", "n=1", "--strategy", "randm"}), 1,
       "random"},
      {"unknown_policy", tune({"dot", "--types", "T=half", "--dims", "n=1", "--policy", "warm"}), 2,
       "'warm'"},
      {"bad_trials", tune({"dot", "--types", "T=half", "--dims", "n=1", "--trials", "-3"}), 2, "--trials"},
      {"bench_of_nothing", {"bench"}, 2, "WHAT"},
      {"bench_of_a_recording",
       {"bench", "dot", "--types", "T=half", "--dims", "n=1", "--device", device},
       2,
       "on a GPU"},
      {"bench_bad_rounds",
       {"bench", "dot", "--types", "T=half", "--dims", "n=1", "--rounds", "-1"},
       2,
       "--rounds"},
      {"unknown_device",
       {"tune", "dot", "--types", "T=half", "--dims", "n=1", "--device", "gpu0"},
       2,
       "cuda:N"},
      {"bad_ordinal",
       {"tune", "dot", "--types", "T=half", "--dims", "n=1", "--device", "cuda:-1"},
       2,
       "cuda:N"},
      {"missing_recording",
       {"tune", "dot", "--types", "T=half", "--dims", "n=1", "--device", "recorded:no.db"},
       1,
       "no.db"},
      {"problem_not_recorded", tune({"dot", "--types", "T=half", "--dims", "n=77"}), 1, "n=1048576"},
      {"unknown_tunable",
       {"explain", "dot", "--types", "T=half", "--dims", "n=1", "--device", device, "--config",
        "NUM_THREAD=64"},
       1,
       "NUM_THREADS"},
      {"unknown_value",
       {"explain", "dot", "--types", "T=half", "--dims", "n=1", "--device", device, "--config",
        "NUM_THREADS=65"},
       1,
       "'65'"},
      {"bad_alignment",
       {"explain", "dot", "--types", "T=half", "--dims", "n=1", "--device", device, "--align", "3"},
       2,
       "power of two"},
      {"no_database", {"show", "--db", "none.db"}, 1, "none.db"},
      {"database_is_a_folder", {"show", "--db", "."}, 1, "folder"},
      {"database_is_noise", {"show", "--db", "noise.db"}, 1, "noise.db"},
      {"unknown_list", {"list", "kernel"}, 2, "'kernels'"},
      {"unknown_format", {"export", "--format", "jsn", "--db", "recording.db"}, 2, "'json'"},
      {"broken_manifest", {"list", "kernels", "broken.toml"}, 1, "broken.toml"},
  };
}

class BadInputs : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, OneLineAndNothingDamaged) {
  const TemporaryFolder folder;
  make_recording(folder / "recording.db");
  std::ofstream(folder / "noise.db") << std::string(4096, 'x');
  std::ofstream(folder / "broken.toml") << "[kernel]\nname = \"broken\"\nunknown_key = 1\n";
  const std::string recording = content(folder / "recording.db"), noise = content(folder / "noise.db");
  const ProgramResult result = run_program(GetParam().words, folder / ".");
  EXPECT_EQ(result.code, GetParam().code) << result.err;
  EXPECT_EQ(result.out, "");
  const std::vector<std::string> printed = lines(result.err);
  ASSERT_EQ(printed.size(), 1u) << result.err;
  EXPECT_EQ(printed[0].rfind("warptune: error: ", 0), 0u) << printed[0];
  EXPECT_NE(printed[0].find(GetParam().says), std::string::npos) << printed[0];
  EXPECT_FALSE(std::filesystem::exists(folder / "new.db"));
  EXPECT_EQ(content(folder / "recording.db"), recording);
  EXPECT_EQ(content(folder / "noise.db"), noise);
}

INSTANTIATE_TEST_SUITE_P(Table, BadInputs, testing::ValuesIn(bad_inputs()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace warptune::test
