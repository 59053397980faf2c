// Output formats, on documents worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include <warptune/base/error.hpp>

#include "tuner/report/formats.hpp"
#include "tuner/report/units.hpp"

namespace warptune::tuner {
namespace {

Document sample() {
  Document document;
  document.fields = {{"device_name", std::string("NVIDIA H200")}};
  document.tables.push_back({"rows",
                             {{"kernel", "kernel"},
                              {"time_ns", "time", Show::time_ns},
                              {"certified", "cert"},
                              {"config", "config", Show::text, Place::below},
                              {"run", "run", Show::number, Place::machines}},
                             {}});
  document.tables[0].rows.push_back(
      {std::string("dot"), 18234.5, true,
       db::NamedValues{{"PACK", std::int64_t{8}}, {"FINISH", std::string("two_pass")}}, std::int64_t{7}});
  document.tables[0].rows.push_back({std::string("a,\"b\"\nc"), Cell(), false, Cell(), std::int64_t{8}});
  return document;
}

std::string written(const Document& document, const char* format, Style style = {}) {
  std::ostringstream out;
  find_format(format).write(document, out, style);
  return out.str();
}

TEST(TableFormat, ShowsUnitsForPeople) {
  Document document = sample();
  document.tables[0].rows.pop_back();
  document.notes = {"One remark."};
  EXPECT_EQ(written(document, "table"),
            "device name  NVIDIA H200\n"
            "\n"
            "kernel     time  cert\n"
            "dot     18.2 us  yes\n"
            "    FINISH=two_pass PACK=8\n"
            "\n"
            "One remark.\n");
}

TEST(TableFormat, NumbersWithoutAUnitHaveFourDigitsAndNoPowersWhereTheyAreRead) {
  Document document;
  document.fields = {{"a", 17708.4}, {"b", 0.12345}, {"c", 4.5e15}, {"d", -12345678.0}};
  EXPECT_EQ(written(document, "table"), "a  17708\nb  0.1235\nc  4.5e+15\nd  -12345678\n");
}

TEST(TableFormat, WhatADatabaseHoldsSteersNoTerminal) {
  Document document;
  document.fields = {{"device_name", std::string("\x1b]0;x\x07")}};
  document.tables.push_back(
      {"rows", {{"kernel", "kernel"}, {"config", "config", Show::text, Place::below}}, {}});
  document.tables[0].rows.push_back({std::string("a\nb"), std::string("\x1b[2J")});
  document.notes = {"one\x1b[0m"};
  EXPECT_EQ(written(document, "table"),
            "device name  ]0;x\n"
            "\n"
            "kernel\n"
            "a b\n"
            "    [2J\n"
            "\n"
            "one [0m\n");
}

TEST(MarkdownFormat, KeepsCellsWithinTheirColumns) {
  Document document = sample();
  document.tables[0].rows[1][0] = std::string("a|b\nc");
  document.notes = {"One remark."};
  EXPECT_EQ(written(document, "markdown"),
            "- device_name: NVIDIA H200\n"
            "\n"
            "| kernel | time | cert | config |\n"
            "| --- | ---: | --- | --- |\n"
            "| dot | 18.2 us | yes | FINISH=two_pass PACK=8 |\n"
            "| a\\|b c | - | no | - |\n"
            "\n"
            "One remark.\n");
}

TEST(TableFormat, StaysWithinItsWidthAndIsColouredOnlyWhenAsked) {
  Document document;
  document.tables.push_back({"rows", {{"a", "a"}, {"b", "b"}, {"c", "c", Show::text, Place::below}}, {}});
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i) + " ";
  document.tables[0].rows.push_back({std::string(90, 'x'), std::string(80, 'y'), words});
  document.notes = {words};
  std::istringstream lines(written(document, "table"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_GT(count, 8);
  EXPECT_EQ(written(document, "table").find('\x1b'), std::string::npos);
  EXPECT_NE(written(document, "table", {true}).find('\x1b'), std::string::npos);
}

TEST(TableFormat, ATextThatFindsNoRoomGoesOnBelowItself) {
  Document document;
  document.tables.push_back({"rows",
                             {{"dims", "dims"},
                              {"time", "time", Show::number},
                              {"state", "state"},
                              {"c", "c", Show::text, Place::below}},
                             {}});
  const db::NamedValues dims{{"batch", std::int64_t{32}},
                             {"heads", std::int64_t{128}},
                             {"length", std::int64_t{1048576}},
                             {"width", std::int64_t{64}}};
  document.tables[0].rows = {
      {dims, std::int64_t{5}, std::string("ok"), std::string("below")},
      {db::NamedValues{{"n", std::int64_t{1}}}, std::int64_t{77}, std::string("ok"), Cell()}};
  // 42 columns of dims, and 2 + 4 + 2 + 5 more.
  EXPECT_EQ(written(document, "table", {false, 55}),
            "dims                                        time  state\n"
            "batch=32 heads=128 length=1048576 width=64     5  ok\n"
            "    below\n"
            "n=1                                           77  ok\n");
  EXPECT_EQ(written(document, "table", {false, 40}),
            "dims                         time  state\n"
            "batch=32 heads=128              5  ok\n"
            "length=1048576 width=64\n"
            "    below\n"
            "n=1                            77  ok\n");
  EXPECT_EQ(written(document, "table", {false, 27}),
            "dims            time  state\n"
            "batch=32           5  ok\n"
            "heads=128\n"
            "length=1048576\n"
            "width=64\n"
            "    below\n"
            "n=1               77  ok\n");
}

TEST(TableFormat, WordsAreBrokenWhereNothingElseHelps) {
  Document document;
  document.tables.push_back({"rows", {{"a", "a"}, {"n", "n", Show::number}}, {}});
  document.tables[0].rows = {{std::string("0123456789abcdef"), std::int64_t{7}}};
  EXPECT_EQ(written(document, "table", {false, 13}),
            "a           n\n"
            "0123456789  7\n"
            "abcdef\n");
}

TEST(TableFormat, AnEmptyTableIsNotShown) {
  Document document = sample();
  document.tables[0].rows.clear();
  EXPECT_EQ(written(document, "table"), "device name  NVIDIA H200\n");
}

TEST(JsonFormat, KeepsNumbersNamesAndUnknowns) {
  const auto json = nlohmann::json::parse(written(sample(), "json"));
  EXPECT_EQ(json["device_name"], "NVIDIA H200");
  ASSERT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["rows"][0]["time_ns"], 18234.5);
  EXPECT_EQ(json["rows"][0]["certified"], true);
  EXPECT_EQ(json["rows"][0]["config"]["PACK"], 8);
  EXPECT_EQ(json["rows"][0]["config"]["FINISH"], "two_pass");
  EXPECT_EQ(json["rows"][0]["run"], 7);
  EXPECT_TRUE(json["rows"][1]["time_ns"].is_null());
  EXPECT_EQ(json["rows"][1]["kernel"], "a,\"b\"\nc");
}

TEST(JsonFormat, SurvivesWhatIsNoTextAndNoNumber) {
  std::ostringstream out;
  write_json_line({{"path", std::string("\xff\xfe.db")}, {"nan", std::nan("")}, {"inf", INFINITY}}, out);
  const std::string line = out.str();
  const auto json = nlohmann::json::parse(line);
  EXPECT_TRUE(json["nan"].is_null());
  EXPECT_TRUE(json["inf"].is_null());
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

TEST(CsvFormat, QuotesByTheRules) {
  EXPECT_EQ(written(sample(), "csv"),
            "kernel,time_ns,certified,config,run\r\n"
            "dot,18234.5,true,FINISH=two_pass PACK=8,7\r\n"
            "\"a,\"\"b\"\"\nc\",,false,,8\r\n");
}

TEST(Formats, UnknownNameSuggestsTheNearest) {
  try {
    find_format("jsn");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.full_text().find("json"), std::string::npos) << error.full_text();
  }
}

TEST(Units, ThreeDigitsAndAUnit) {
  EXPECT_EQ(time_text(0.5), "0.50 ns");
  EXPECT_EQ(time_text(2706), "2.71 us");
  EXPECT_EQ(time_text(18234), "18.2 us");
  EXPECT_EQ(time_text(232000), "232 us");
  EXPECT_EQ(time_text(1.05e6), "1.05 ms");
  EXPECT_EQ(rate_text(3.69e12), "3.69 TB/s");
  EXPECT_EQ(rate_text(812e9), "812 GB/s");
  EXPECT_EQ(percent_text(0.841), "84.1 %");
  EXPECT_EQ(bytes_text(50 << 20), "50.0 MiB");
  EXPECT_EQ(age_text(90), "90 s");
  EXPECT_EQ(age_text(3600), "60 min");
  EXPECT_EQ(age_text(5 * 86400), "5 d");
}

TEST(Units, AgesOfAnyTimes) {
  EXPECT_EQ(age_s(100, 160), 60);
  EXPECT_EQ(age_s(160, 100), 0) << "a clock that went back";
  EXPECT_EQ(age_s(-10, 10), 20);
  EXPECT_EQ(age_s(INT64_MIN, INT64_MAX), INT64_MAX);
  EXPECT_EQ(age_s(INT64_MIN, -1), INT64_MAX);
  EXPECT_EQ(age_s(INT64_MAX, INT64_MIN), 0);
}

}  // namespace
}  // namespace warptune::tuner
