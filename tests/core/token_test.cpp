#include "core/token.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/core/now.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

TokenText some_token() {
  return {.role = Role::worker, .id = "abcDEF012345", .secret = std::string(43, 'x')};
}

TEST(Token, IsReadBackAsItWasWritten) {
  const std::string text = format_token(some_token());
  EXPECT_TRUE(text.starts_with("pawl_w_abcDEF012345_xxx"));
  EXPECT_EQ(parse_token(text), some_token());
}

TEST(Token, WithOneWrongCharacterIsNone) {
  const std::string text = format_token(some_token());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string wrong = text;
    wrong[i] = wrong[i] == 'z' ? 'y' : 'z';
    EXPECT_EQ(parse_token(wrong), std::nullopt) << i;
  }
  EXPECT_EQ(parse_token(""), std::nullopt);
  EXPECT_EQ(parse_token(text + "_"), std::nullopt);
  EXPECT_EQ(parse_token(text.substr(0, text.size() - 1)), std::nullopt);
}

TEST(Token, ChecksumIsThatOfZip) { EXPECT_EQ(crc32("123456789"), 0xcbf43926U); }

TEST(Token, CharactersAreDrawnFairly) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  const std::string drawn = base62(bytes, 248);
  for (const char c : {'0', '9', 'A', 'Z', 'a', 'z'})
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), c), 4) << c;
}

TEST(Token, IsRefusedWithOneAnswerWhateverIsWrong) {
  const Token good{.id = "abcDEF012345", .expires_at = kNow + 1s, .secret_hash = "hash"};
  EXPECT_TRUE(authenticate(good, "hash", kNow).ok());
  Token revoked = good;
  revoked.revoked_at = kNow;
  for (const Status& refused :
       {authenticate(good, "hasH", kNow), authenticate(good, "hash", kNow + 1s),
        authenticate(revoked, "hash", kNow), authenticate(std::nullopt, "hash", kNow)}) {
    EXPECT_EQ(refused.problem(),
              (Problem{.code = ProblemCode::unauthorized, .detail = "the token is not valid"}));
  }
}

TEST(Token, IsForItsNamespacesAndQueues) {
  EXPECT_TRUE(allows_namespace({.namespaces = {"*"}}, "any"));
  EXPECT_FALSE(allows_namespace({.namespaces = {"a"}}, "b"));
  EXPECT_TRUE(allows_queue({}, "any"));
  EXPECT_FALSE(allows_queue({.queues = {"a"}}, "b"));
}

TEST(Token, IsCheckedBeforeItIsMade) {
  const CreateToken good{.id = "abcDEF012345", .secret_hash = "h", .namespaces = {"*"}};
  EXPECT_TRUE(check(good).ok());
  CreateToken bad = good;
  bad.namespaces = {};
  EXPECT_EQ(check(bad).problem().errors.at(0).field, "namespaces");
  bad = good;
  bad.id = "short";
  EXPECT_EQ(check(bad).problem().errors.at(0).field, "id");
}

TEST(Roles, HaveNamesAndAnOrder) {
  for (int i = 0; i < kRoleCount; ++i) {
    const auto role = static_cast<Role>(i);
    EXPECT_EQ(role_from(to_string(role)), role);
  }
  EXPECT_LT(Role::worker, Role::supervisor);
}

}  // namespace
}  // namespace pawl::core
