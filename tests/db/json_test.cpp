#include "db/json.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "db/sqlite/connection.hpp"

namespace warptune::db {
namespace {

TEST(Json, CanonicalText) {
  EXPECT_EQ(to_json(NamedValues{}), "{}");
  EXPECT_EQ(to_json(NamedValues{{"b", std::int64_t{-1}}, {"a", std::string("x y")}}),
            R"({"a":"x y","b":-1})");
  EXPECT_EQ(to_json(Words{{"T", "__half"}}), R"({"T":"__half"})");
  EXPECT_EQ(to_json(Integers{{"n", std::numeric_limits<std::int64_t>::min()}}),
            R"({"n":-9223372036854775808})");
  EXPECT_EQ(to_json(Reals{{"a_ns", 0.5}}), R"({"a_ns":0.5})");
}

TEST(Json, ReadsWhatItWrites) {
  const NamedValues values{{"quote\"back\\slash", std::string("line\nbreak\x01 \xC3\xA9")},
                           {"big", std::numeric_limits<std::int64_t>::max()}};
  EXPECT_EQ(from_json<NamedValues>(to_json(values)), values);
  const Reals reals{{"tick", 32.000000001}, {"ceiling", 4.67e12}, {"whole", 3}};
  EXPECT_EQ(from_json<Reals>(to_json(reals)), reals);
}

TEST(Json, AcceptsWhatPeopleType) {
  const Integers expected{{"m", 2}, {"n", 1}};
  EXPECT_EQ(from_json<Integers>(" { \"n\" : 1,\n \"m\" : 2 } "), expected);
}

// Integers have a short way through the reader; both ways must agree.
TEST(Json, IntegersInAnyForm) {
  EXPECT_EQ(from_json<Integers>("{}"), Integers());
  EXPECT_EQ(from_json<Integers>(R"({"k":0,"m":-5,"n":9223372036854775807})"),
            (Integers{{"k", 0}, {"m", -5}, {"n", std::numeric_limits<std::int64_t>::max()}}));
  EXPECT_EQ(from_json<Integers>(R"({"n":-0})"), (Integers{{"n", 0}}));
  EXPECT_EQ(from_json<Integers>(R"({"b":1,"a":2})"), (Integers{{"a", 2}, {"b", 1}}));
  EXPECT_EQ(from_json<Integers>("{\"a\\u0062\":1}"), (Integers{{"ab", 1}}));
  EXPECT_EQ(from_json<Integers>("{\"\xC3\xA9\":1}"), (Integers{{"\xC3\xA9", 1}}));
  for (const char* text :
       {"{\"n\":01}", "{\"n\":-01}", "{\"n\":+1}", "{\"n\":1,}", "{,}", "{\"n\":}", "{\"n\"1}", "{\"n\":1}}",
        "{\"n\":1", "{\"n\":1 \"m\":2}", "{\"n\":1,\"n\":1}", "{\"n\":1.0}", "{\"n\":1e3}", "{\"n\":-}",
        "{\"n\":9223372036854775808}", "{\"a\tb\":1}", "{n:1}"}) {
    EXPECT_THROW(from_json<Integers>(text), sqlite::Unreadable) << text;
  }
}

TEST(Json, WordsAndIntegersInAnyForm) {
  const NamedValues expected{{"PACK", std::int64_t{8}}, {"a", std::string()}, {"w", std::string("two pass")}};
  EXPECT_EQ(from_json<NamedValues>(R"({"PACK":8,"a":"","w":"two pass"})"), expected);
  EXPECT_EQ(from_json<NamedValues>(R"({"w":"two pass","a":"","PACK":8})"), expected);
  EXPECT_EQ(from_json<NamedValues>(R"({"w":"two\u0020pass", "a":"","PACK":8})"), expected);
  for (const char* text : {R"({"a":"x)", R"({"a":"x"y})", R"({"a":"x",})", R"({"a":"x","a":"y"})",
                           R"({"a":"x","a":1})", "{\"a\":\"x\ty\"}", R"({"a":"\q"})", R"({"a":"x"}})"}) {
    EXPECT_THROW(from_json<NamedValues>(text), sqlite::Unreadable) << text;
  }
}

TEST(Json, RefusesAllElse) {
  for (const char* text : {"", "{", "[]", "[1]", "1", "\"a\"", "null", R"({"a":{}})", R"({"a":[1]})",
                           R"({"a":null})", R"({"a":true})", R"({"a":1.5})", R"({"a":1,"a":2})",
                           R"({"a":9223372036854775808})", R"({"a":1}x)", "{\"a\":\"\xFF\"}"}) {
    EXPECT_THROW(from_json<NamedValues>(text), sqlite::Unreadable) << text;
  }
  EXPECT_THROW(from_json<Words>(R"({"a":1})"), sqlite::Unreadable);
  EXPECT_THROW(from_json<Integers>(R"({"a":"1"})"), sqlite::Unreadable);
  EXPECT_THROW(from_json<Reals>(R"({"a":"1"})"), sqlite::Unreadable);
  // Deep nesting must not exhaust the stack.
  EXPECT_THROW(from_json<NamedValues>("{\"a\":" + std::string(1'000'000, '[')), sqlite::Unreadable);
}

TEST(Json, SaysWhatIsWrong) {
  try {
    from_json<Integers>(R"({"n":"many"})");
    FAIL() << "accepted";
  } catch (const sqlite::Unreadable& fault) {
    EXPECT_EQ(fault.detail(), R"(a value of the wrong kind for "n": {"n":"many"})");
  }
}

TEST(Json, WritingRefusesWhatCannotBeReadBack) {
  EXPECT_THROW(to_json(Words{{"a", "\xFF"}}), Error);
  EXPECT_THROW(to_json(Reals{{"a", std::numeric_limits<double>::infinity()}}), Error);
}

}  // namespace
}  // namespace warptune::db
