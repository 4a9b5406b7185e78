#include "client/raw_json.hpp"

#include <gtest/gtest.h>

namespace pawl::client {
namespace {

TEST(RawMembers, AreSlicesOfTheOriginalText) {
  const std::string text = R"( {"a" : [1, {"b":"}]\""} ] , "big":12345678901234567890123, "s":"x,y"} )";
  EXPECT_EQ(raw_member(text, "a"), R"([1, {"b":"}]\""} ])");
  EXPECT_EQ(raw_member(text, "big"), "12345678901234567890123");
  EXPECT_EQ(raw_member(text, "s"), R"("x,y")");
  EXPECT_EQ(raw_member(text, "b"), std::nullopt);
  EXPECT_EQ(raw_member("[1]", "a"), std::nullopt);
  EXPECT_EQ(raw_member("{}", "a"), std::nullopt);
}

TEST(RawElements, AreSlicesInOrder) {
  EXPECT_EQ(raw_elements(R"([ 1 , "a,b" , {"c":[2]} ,null])"),
            (std::vector<std::string_view>{"1", R"("a,b")", R"({"c":[2]})", "null"}));
  EXPECT_TRUE(raw_elements("[]").empty());
  EXPECT_TRUE(raw_elements("{}").empty());
}

TEST(OneLine, HasNoLineBreaksAndIsTheSameValue) { EXPECT_EQ(one_line("{\n\"a\":\r\n1}"), "{ \"a\":  1}"); }

TEST(ObjectText, QuotesNamesAndTextAndEmbedsRawJson) {
  EXPECT_EQ(ObjectText{}.text("a", "x\"y").number("n", -3).raw("p", "1.0").str(),
            R"({"a":"x\"y","n":-3,"p":1.0})");
  EXPECT_EQ(ObjectText{}.str(), "{}");
  EXPECT_EQ(array_text({"a", "b\""}), R"(["a","b\""])");
}

}  // namespace
}  // namespace pawl::client
