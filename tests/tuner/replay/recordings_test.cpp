// Reading recorded spaces: both formats, orders of values, and files that are wrong.
#include <gtest/gtest.h>

#include <fstream>

#include <zlib.h>

#include <warptune/base/error.hpp>

#include "tests/tuner/support/temporary_folder.hpp"
#include "tuner/replay/recordings.hpp"

namespace warptune::tuner {
namespace {

constexpr const char* csv =
    "block,mode,fixed,time_ms,std_ms,cost_ms,status\n"
    "64,tiled,1,2.5,0.1,900,ok\n"
    "128,tiled,1,,,800,compile\n"
    "32,plain,1,4,,,ok\n";

constexpr const char* t4 = R"({"results": [
  {"configuration": {"block": 64, "mode": "tiled"}, "invalidity": "correct", "objectives": ["time"],
   "measurements": [{"name": "power", "value": 300, "unit": "W"}, {"name": "time", "value": 2.5, "unit": "ms"}]},
  {"configuration": {"mode": "tiled", "block": 128}, "invalidity": "compile", "measurements": []},
  {"configuration": {"block": 999, "mode": "tiled"}, "invalidity": "constraints", "measurements": []},
  {"configuration": {"block": 32, "mode": "plain"}, "invalidity": "correct", "objectives": ["time"],
   "measurements": [{"name": "time", "value": 0.004, "unit": "s"}]}]})";

void expect_sample(const RecordedSpace& space) {
  ASSERT_EQ(space.parameters().size(), 2u) << "parameters of one value are left out";
  EXPECT_EQ(space.parameters()[0].name, "block");
  EXPECT_EQ(space.parameters()[0].values, (std::vector<double>{32, 64, 128}));
  EXPECT_TRUE(space.parameters()[0].ordered);
  EXPECT_FALSE(space.parameters()[1].ordered);
  EXPECT_EQ(space.cartesian_size(), 6);
  EXPECT_EQ(space.results().size(), 3u);
  EXPECT_EQ(space.optimum_ms(), 2.5);
  EXPECT_EQ(space.at({1, 0}).time_ms, 2.5);  // 64, tiled: the word that appears first
  EXPECT_EQ(space.at({0, 1}).time_ms, 4.0);  // 32, plain
  EXPECT_EQ(space.at({2, 0}).time_ms, std::nullopt);
  EXPECT_FALSE(space.contains({2, 1}));
}

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "accepted";
}

TEST(Recordings, ReadsCsv) {
  const RecordedSpace space("sample", parse_space_csv(csv), {});
  expect_sample(space);
  EXPECT_EQ(space.at({1, 0}).std_ms, 0.1);
}

TEST(Recordings, ReadsT4) { expect_sample(RecordedSpace("sample", parse_space_t4(t4), {})); }

TEST(Recordings, TakesOrdersThatListAllValues) {
  const ValueOrders orders = {{"block", {"128", "32", "64"}}, {"mode", {"plain"}}};
  const RecordedSpace space("sample", parse_space_csv(csv), orders);
  EXPECT_EQ(space.parameters()[0].values, (std::vector<double>{128, 32, 64}));
  EXPECT_EQ(space.at({2, 0}).time_ms, 2.5) << "an order that lacks a value is not taken";
}

TEST(Recordings, LoadsAFolderPlainAndPacked) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "b.csv") << csv;
  const gzFile packed = gzopen((folder / "a.json.gz").c_str(), "wb");
  ASSERT_GT(gzputs(packed, t4), 0);
  gzclose(packed);
  std::ofstream(folder / "spaces.json") << R"({"b": {"params": {"block": [128, 64, 32]}}})";
  std::ofstream(folder / "README.md") << "not a recording";
  const auto spaces = load_recorded_spaces(folder / "");
  ASSERT_EQ(spaces.size(), 2u);
  EXPECT_EQ(spaces[0]->name(), "a");
  expect_sample(*spaces[0]);
  EXPECT_EQ(spaces[1]->name(), "b");
  EXPECT_EQ(spaces[1]->parameters()[0].values.front(), 128);
}

TEST(Recordings, SayWhatIsWrongAndWhere) {
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(refusal([] { parse_space_csv("a,b\n1,2\n"); }), "time_ms");
  contains(refusal([] { parse_space_csv("a,time_ms\n1,2\n1\n"); }), "line 3");
  contains(refusal([] { parse_space_csv("a,time_ms\n1,fast\n"); }), "'fast'");
  contains(refusal([] { parse_space_t4("{"); }), "JSON");
  contains(refusal([] { parse_space_t4(R"({"results": [{"invalidity": "correct"}]})"); }), "result 1");
  contains(refusal([] { RecordedSpace("s", parse_space_csv("a,time_ms\n1,2\n1,3\n"), {}); }), "twice");
  contains(refusal([] { RecordedSpace("s", parse_space_csv("a,time_ms\n1,\n2,\n"), {}); }),
           "no config with a time");
  const test::TemporaryFolder folder;
  contains(refusal([&] { load_recorded_spaces(folder / "absent"); }), "absent");
  contains(refusal([&] { load_recorded_spaces(folder / ""); }), "no recorded space");
  std::ofstream(folder / "broken.csv") << "a,b\n";
  contains(refusal([&] { load_recorded_spaces(folder / ""); }), "broken.csv");
}

}  // namespace
}  // namespace warptune::tuner
