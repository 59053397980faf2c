#include <warptune/spec/element_type.hpp>
#include <warptune/spec/value.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace warptune::spec {
namespace {

TEST(Word, EqualTextIsOneWord) {
  EXPECT_EQ(Word("two_pass"), Word(std::string("two_") + "pass"));
  EXPECT_NE(Word("two_pass"), Word("two_pas"));
  EXPECT_EQ(Word("two_pass").text(), "two_pass");
}

TEST(Word, InterningFromManyThreadsAgrees) {
  constexpr int threads = 4, words = 500;
  std::vector<std::vector<std::uint32_t>> ids(threads);
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([&ids, t] {
      for (int i = 0; i < words; ++i)
        ids[static_cast<std::size_t>(t)].push_back(Word("shared_" + std::to_string(i)).id());
    });
  }
  for (std::thread& thread : pool) thread.join();
  for (int t = 1; t < threads; ++t) EXPECT_EQ(ids[0], ids[static_cast<std::size_t>(t)]);
  EXPECT_EQ(std::set<std::uint32_t>(ids[0].begin(), ids[0].end()).size(), static_cast<std::size_t>(words));
  for (int i = 0; i < words; ++i) {
    EXPECT_EQ(Word::from_id(ids[0][static_cast<std::size_t>(i)]).text(), "shared_" + std::to_string(i));
  }
}

TEST(Value, TextAndEqualityByKind) {
  EXPECT_EQ(Value::integer(-5).text(), "-5");
  EXPECT_EQ(Value::boolean(true).text(), "true");
  EXPECT_EQ(Value::word("f32").text(), "f32");
  EXPECT_NE(Value::integer(1), Value::boolean(true));
  EXPECT_FALSE(Value().is_set());
}

TEST(ElementType, AliasesAndSizes) {
  for (const char* name : {"half", "f16", "fp16", "__half"})
    EXPECT_EQ(find_element_type(name)->name, "__half") << name;
  for (const char* name : {"bf16", "bfloat16"})
    EXPECT_EQ(find_element_type(name)->name, "__nv_bfloat16") << name;
  EXPECT_EQ(find_element_type("fp32")->alias, "f32");
  EXPECT_EQ(find_element_type("i64")->size_bytes, 8);
  EXPECT_EQ(find_element_type("uint8")->size_bytes, 1);
  EXPECT_FALSE(find_element_type("int")->is_floating);
  EXPECT_FALSE(find_element_type("quad").has_value());
  EXPECT_EQ(element_bytes(Word("__nv_bfloat16")), 2);
  EXPECT_EQ(element_bytes(Word("bf16")), 0) << "expressions see CUDA names only";
}

TEST(ElementType, NamesAndAliasesAreUnique) {
  std::set<std::string_view> seen;
  for (const ElementType& type : element_types()) {
    EXPECT_TRUE(seen.insert(type.name).second) << type.name;
    EXPECT_TRUE(seen.insert(type.alias).second) << type.alias;
    EXPECT_EQ(find_element_type(type.name)->name, type.name);
    EXPECT_EQ(find_element_type(type.alias)->name, type.name);
  }
}

}  // namespace
}  // namespace warptune::spec
