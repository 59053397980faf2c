#include "tuner/cli/parser.hpp"

#include <gtest/gtest.h>

#include <warptune/base/error.hpp>

namespace warptune::tuner {
namespace {

using Words = std::vector<std::string>;

std::string refusal(const Words& words) {
  try {
    parse_command_line(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(error.full_text().find('\n'), std::string::npos);
    return error.full_text();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(Parser, GlobalOptionsStandBeforeAndAfterTheCommand) {
  for (const Words& words :
       {Words{"--db", "a.db", "--json", "show", "dot"}, Words{"show", "dot", "--json", "--db", "a.db"},
        Words{"show", "--db=a.db", "dot", "--json"}}) {
    const Parsed parsed = parse_command_line(words);
    ASSERT_NE(parsed.command, nullptr);
    EXPECT_EQ(parsed.command->name, "show");
    EXPECT_EQ(parsed.database, "a.db");
    EXPECT_TRUE(parsed.json);
    EXPECT_EQ(parsed.arguments.value("KERNEL"), "dot");
  }
}

TEST(Parser, AssignmentsRepeatAndLetTheKernelStandBehindThem) {
  const Parsed parsed = parse_command_line(
      {"tune", "--dims", "n=1", "m=2", "--dims", "k=3", "--types", "T=half", "dot", "--trials", "5"});
  EXPECT_EQ(parsed.arguments.values("dims"), (Words{"n=1", "m=2", "k=3"}));
  EXPECT_EQ(parsed.arguments.values("types"), Words{"T=half"});
  EXPECT_EQ(parsed.arguments.value("KERNEL"), "dot");
  EXPECT_EQ(parsed.arguments.count("trials"), 5);
  EXPECT_FALSE(parsed.arguments.has("no-save"));
}

TEST(Parser, OptionsTakeOneValueAndLeaveArgumentsAlone) {
  const Parsed one = parse_command_line({"bundle", "-o", "app.wtb", "a.db", "b.db"});
  EXPECT_EQ(one.arguments.value("output"), "app.wtb");
  EXPECT_EQ(one.arguments.values("DB"), (Words{"a.db", "b.db"}));
  const Parsed several = parse_command_line({"bundle", "--arch", "sm_80", "a.db", "--arch", "sm_90", "b.db"});
  EXPECT_EQ(several.arguments.values("arch"), (Words{"sm_80", "sm_90"}));
  EXPECT_EQ(several.arguments.values("DB"), (Words{"a.db", "b.db"}));
  EXPECT_EQ(parse_command_line({"tune", "--seed", "3", "dot"}).arguments.value("KERNEL"), "dot");
}

TEST(Parser, HelpAndVersionAnswerAtOnce) {
  EXPECT_NE(parse_command_line({"--help"}).text.find("Commands:"), std::string::npos);
  EXPECT_NE(parse_command_line({"--version"}).text.find("warptune "), std::string::npos);
  for (const Command& command : commands()) {
    const std::string text = parse_command_line({std::string(command.name), "--help"}).text;
    EXPECT_NE(text.find("Examples:"), std::string::npos) << command.name;
    for (const OptionSpec& option : command.options)
      EXPECT_NE(text.find("--" + option.name), std::string::npos) << command.name << " " << option.name;
  }
}

TEST(Parser, RefusesInOneLineWithTheNearestName) {
  EXPECT_NE(refusal({}).find("no command"), std::string::npos);
  EXPECT_NE(refusal({"tun", "dot"}).find("'tune'"), std::string::npos);
  EXPECT_NE(refusal({"tune", "dot", "--trails", "5"}).find("'--trials'"), std::string::npos);
  EXPECT_NE(refusal({"--jsn", "show"}).find("--js"), std::string::npos);
  EXPECT_NE(refusal({"explain"}).find("KERNEL"), std::string::npos);
  EXPECT_NE(refusal({"tune", "dot", "extra"}).find("'extra'"), std::string::npos);
  EXPECT_NE(refusal({"tune", "dot", "--trials"}).find("--trials"), std::string::npos);
}

TEST(Parser, NumbersAreCheckedWhenAskedFor) {
  const Parsed parsed =
      parse_command_line({"tune", "dot", "--trials", "-5", "--seconds", "nan", "--seed", "1x"});
  EXPECT_THROW(parsed.arguments.count("trials"), Error);
  EXPECT_THROW(parsed.arguments.seconds("seconds"), Error);
  EXPECT_THROW(parsed.arguments.count("seed"), Error);
}

}  // namespace
}  // namespace warptune::tuner
