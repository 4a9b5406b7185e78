#include "core/records/token.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/core/now.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

TokenText some_token() {
  return {.role = Role::worker, .id = "abcDEF012345", .secret = std::string(43, 'x')};
}

TEST(Token, RoundTripsThroughText) {
  const std::string text = format_token(some_token());
  EXPECT_TRUE(text.starts_with("pawl_w_abcDEF012345_xxx"));
  EXPECT_EQ(parse_token(text), some_token());
}

TEST(Token, WithOneWrongCharacterIsRejected) {
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

TEST(Token, HasTheCrc32OfZipAsItsChecksum) { EXPECT_EQ(crc32("123456789"), 0xcbf43926U); }

TEST(Token, CharactersAreDrawnFairly) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  const std::string drawn = base62(bytes, 248);
  for (const char c : {'0', '9', 'A', 'Z', 'a', 'z'})
    EXPECT_EQ(std::count(drawn.begin(), drawn.end(), c), 4) << c;
}

TEST(Token, IsRejectedWithTheSameErrorForEveryReason) {
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

TEST(Token, IsLimitedToItsNamespacesAndQueues) {
  EXPECT_TRUE(allows_namespace({.namespaces = {"*"}}, "any"));
  EXPECT_FALSE(allows_namespace({.namespaces = {"a"}}, "b"));
  EXPECT_TRUE(check_queue({}, "any").ok());
  EXPECT_TRUE(check_queue({"a", "b"}, "b").ok());
  EXPECT_EQ(check_queue({"a"}, "b").problem().code, ProblemCode::forbidden);
  EXPECT_TRUE(covers_namespaces({"*"}, {"*"}));
  EXPECT_TRUE(covers_namespaces({"a", "b"}, {"b"}));
  EXPECT_FALSE(covers_namespaces({"a"}, {"a", "b"}));
  EXPECT_FALSE(covers_namespaces({"a"}, {"*"}));
  EXPECT_FALSE(covers_namespaces({"a"}, {})) << "one of no namespace is of no one's";
}

TEST(Token, IsValidatedBeforeItIsCreated) {
  const CreateToken good{.id = "abcDEF012345", .secret_hash = "h", .namespaces = {"*"}};
  EXPECT_TRUE(check(good).ok());
  CreateToken bad = good;
  bad.namespaces = {};
  EXPECT_EQ(check(bad).problem().errors.at(0).field, "namespaces");
  bad = good;
  bad.id = "short";
  EXPECT_EQ(check(bad).problem().errors.at(0).field, "id");
  for (const Role role : {Role::viewer, Role::supervisor, Role::admin}) {
    bad = good;
    bad.role = role;
    bad.queues = {"q"};
    EXPECT_EQ(check(bad).problem().errors.at(0).field, "queues") << to_string(role);
  }
  for (const Role role : {Role::worker, Role::enqueuer, Role::claimer}) {
    bad.role = role;
    EXPECT_TRUE(check(bad).ok()) << to_string(role);
  }
  bad.queues.assign(kTokenQueuesMax + 1, "q");
  EXPECT_EQ(check(bad).problem().errors.at(0).field, "queues");
}

std::optional<Record> stored_as(const RecordChange& change) {
  return Record{.ref = change.ref, .version = 1, .body = *change.body};
}

std::optional<Record> made() {
  const std::optional<Record> none;
  const CreateToken request{.id = "abcDEF012345", .secret_hash = "one", .namespaces = {"a"}};
  return stored_as(decide_create_token(request, std::span{&none, 1}, kNow)->changes.at(0));
}

std::optional<Record> rotated(const std::optional<Record>& token, const std::string& hash, Duration overlap,
                              TimePoint now) {
  const RotateToken request{.id = "abcDEF012345", .secret_hash = hash, .overlap = overlap};
  return stored_as(decide_rotate_token(request, std::span{&token, 1}, now)->changes.at(0));
}

TEST(Token, AcceptsTwoSecretsForAWhileAfterRotation) {
  const auto first = made();
  const auto second = rotated(first, "two", 1h, kNow);
  const Token token = token_from(second->body);
  EXPECT_EQ(token.rotated_at, kNow);
  EXPECT_TRUE(authenticate(token, "two", kNow).ok());
  EXPECT_TRUE(authenticate(token, "one", kNow + 1h - 1s).ok());
  EXPECT_FALSE(authenticate(token, "one", kNow + 1h).ok());
  const Token third = token_from(rotated(second, "three", 1h, kNow + 1s)->body);
  EXPECT_FALSE(authenticate(third, "one", kNow + 2s).ok()) << "never more than two";
  EXPECT_TRUE(authenticate(third, "two", kNow + 2s).ok());
  const Token sudden = token_from(rotated(first, "two", 0s, kNow)->body);
  EXPECT_FALSE(authenticate(sudden, "one", kNow).ok());
  EXPECT_FALSE(authenticate(sudden, "", kNow).ok());
}

TEST(Token, CannotBeRotatedAfterItsEnd) {
  std::optional<Record> token = made();
  token = stored_as(decide_revoke_token({.id = "abcDEF012345"}, std::span{&token, 1}, kNow)->changes.at(0));
  const RotateToken request{.id = "abcDEF012345", .secret_hash = "two"};
  EXPECT_EQ(decide_rotate_token(request, std::span{&token, 1}, kNow).problem().code,
            ProblemCode::invalid_state);
  RotateToken endless = request;
  endless.overlap = kRotationOverlapMax + 1s;
  EXPECT_EQ(check(endless).problem().errors.at(0).field, "overlap");
}

TEST(Token, RecordsItsLastUseOnceAnHour) {
  std::optional<Record> token = made();
  const NoteTokenUse use{.id = "abcDEF012345"};
  const auto note = [&](TimePoint now) { return decide_note_token_use(use, std::span{&token, 1}, now); };
  const auto first = note(kNow);
  ASSERT_EQ(first->changes.size(), 1U);
  EXPECT_TRUE(first->audit.empty());
  token = stored_as(first->changes.at(0));
  EXPECT_EQ(token_from(token->body).last_used_at, kNow);
  EXPECT_TRUE(note(kNow + kLastUsedStep - 1s)->changes.empty());
  EXPECT_EQ(note(kNow + kLastUsedStep)->changes.size(), 1U);
}

TEST(Roles, HaveNamesAndAnOrder) {
  for (int i = 0; i < kRoleCount; ++i) {
    const auto role = static_cast<Role>(i);
    EXPECT_EQ(role_from(to_string(role)), role);
  }
  EXPECT_LT(Role::worker, Role::supervisor);
  EXPECT_LT(Role::enqueuer, Role::viewer) << "half a worker's role reads nothing";
  EXPECT_LT(Role::claimer, Role::viewer);
  std::set<char> letters;
  for (int i = 0; i < kRoleCount; ++i) letters.insert(to_string(static_cast<Role>(i)).front());
  EXPECT_EQ(letters.size(), static_cast<std::size_t>(kRoleCount)) << "a token's text has the first one";
}

}  // namespace
}  // namespace pawl::core
