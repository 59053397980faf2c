// Input that the TOML library cannot be trusted with is refused before it sees it.
#include <gtest/gtest.h>

#include <string>

#include "kernel_templates/spec/manifest_tree.hpp"
#include "tests/spec/sample.hpp"

namespace warptune::spec {
namespace {

std::string check(const std::string& text) {
  return test::error_of([&] { check_manifest_text(text, "m.toml"); });
}

TEST(ManifestText, NonAsciiOnlyInStringsAndComments) {
  EXPECT_EQ(check("a = \"\xC3\xA9\" # \xE2\x82\xAC \xF0\x9F\x98\x80\n"), "");
  EXPECT_EQ(check("a = '''\n\xC3\xA9'''"), "");
  EXPECT_EQ(check("a = 1\n\xC3\xA9 = 2").substr(0, 45), "m.toml:2:1: character outside ASCII in a key ");
  EXPECT_EQ(check("a = \"x\\\"\" \xC3\xA9").substr(0, 26), "m.toml:1:11: character out");
}

TEST(ManifestText, MalformedUtf8) {
  for (const char* bytes : {"\x80", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                            "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82"}) {
    EXPECT_EQ(check(std::string("# ") + bytes).substr(0, 40), "m.toml:1:3: text is not valid UTF-8; sav")
        << bytes;
  }
}

TEST(ManifestText, ControlCharacters) {
  EXPECT_EQ(check(std::string("a = 1\nb\0 = 2", 12)).substr(0, 34), "m.toml:2:2: control character 0x00");
  EXPECT_EQ(check("a = 1\r\n\tb = 2\r\n"), "");
}

TEST(ManifestText, SizeAndDots) {
  EXPECT_EQ(check(std::string(64 * 1024, ' ')), "");
  EXPECT_NE(check(std::string(64 * 1024 + 1, ' ')).find("manifest of 65537 bytes"), std::string::npos);
  std::string dotted = "[a";
  for (int i = 0; i < 101; ++i) dotted += ".a";
  EXPECT_NE(check(dotted + "]").find("more than 100 dots"), std::string::npos);
  EXPECT_EQ(check("# " + std::string(500, '.')), "");
  EXPECT_EQ(check("a = \"" + std::string(500, '.') + "\""), "");
}

TEST(ManifestTree, FileOrderAndPlaces) {
  const ManifestNode root =
      parse_manifest_tree("zebra = 1\napple = \"two\"\n[t]\nb = [1, 'x']\na = 1.5\n", "m.toml");
  ASSERT_EQ(root.members.size(), 3u);
  EXPECT_EQ(root.members[0].key, "zebra");
  EXPECT_EQ(root.members[1].key, "apple");
  EXPECT_EQ(root.members[1].value.where.text(), "m.toml:2:9");
  EXPECT_EQ(root.members[1].value.content.text(), "m.toml:2:10");
  const ManifestNode& table = root.members[2].value;
  ASSERT_EQ(table.members.size(), 2u);
  EXPECT_EQ(table.members[0].key, "b");
  EXPECT_EQ(table.members[0].value.items[1].where.text(), "m.toml:4:9");
  EXPECT_EQ(table.find("a")->real, 1.5);
  EXPECT_EQ(table.find("c"), nullptr);
}

TEST(ManifestTree, LongStringsKnowWhereTheirTextBegins) {
  const ManifestNode root = parse_manifest_tree("a = \"\"\"\n1 + 1\"\"\"\nb = \"\"\"2\"\"\"\n", "m.toml");
  EXPECT_EQ(root.find("a")->content.text(), "m.toml:2:1");
  EXPECT_EQ(root.find("b")->content.text(), "m.toml:3:8");
}

// Every prefix of a manifest is either accepted or refused with a place, never more than that.
TEST(ManifestTree, TruncatedTextNeverDoesMoreThanFail) {
  const std::string& text = test::sample_manifest;
  std::size_t refused = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string message = test::error_of([&] { parse_template(text.substr(0, length), "", "m.toml"); });
    if (message.empty()) continue;
    ++refused;
    EXPECT_EQ(message.substr(0, 7), "m.toml:") << length;
  }
  EXPECT_GT(refused, text.size() - 60) << "only the tail of the last table is optional";
}

}  // namespace
}  // namespace warptune::spec
