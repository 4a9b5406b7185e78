// The table of problems, and Result.

#include "core/base/problem.hpp"

#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "core/base/result.hpp"

namespace pawl::core {
namespace {

TEST(Problems, HaveTheDocumentedHttpStatus) {
  const auto status = [](std::string_view name) {
    return kind_of(problem_code_from(name).value()).http_status;
  };
  EXPECT_EQ(status("invalid_argument"), 400);
  EXPECT_EQ(status("unauthorized"), 401);
  EXPECT_EQ(status("forbidden"), 403);
  EXPECT_EQ(status("not_found"), 404);
  for (const char* name : {"conflict", "invalid_state", "already_completed", "stale_lease"})
    EXPECT_EQ(status(name), 409);
  EXPECT_EQ(status("precondition_failed"), 412);
  EXPECT_EQ(status("method_not_allowed"), 405);
  EXPECT_EQ(status("payload_too_large"), 413);
  EXPECT_EQ(status("uri_too_long"), 414);
  EXPECT_EQ(status("unsupported_media_type"), 415);
  EXPECT_EQ(status("misdirected_request"), 421);
  EXPECT_EQ(status("header_too_large"), 431);
  EXPECT_EQ(status("idempotency_mismatch"), 422);
  EXPECT_EQ(status("resource_exhausted"), 429);
  EXPECT_EQ(status("internal"), 500);
  EXPECT_EQ(status("unavailable"), 503);
  EXPECT_EQ(status("timeout"), 504);
  EXPECT_EQ(status("version_not_supported"), 505);
}

TEST(Problems, AreFoundByNameAndByCode) {
  std::set<std::string_view> names;
  for (const ProblemKind& kind : kProblemKinds) {
    EXPECT_EQ(problem_code_from(kind.name), kind.code);
    EXPECT_EQ(kind_of(kind.code).name, kind.name);
    EXPECT_FALSE(kind.title.empty());
    EXPECT_GT(kind.exit_code, 0) << "a problem is never exit 0";
    names.insert(kind.name);
  }
  EXPECT_EQ(names.size(), kProblemKinds.size());
  EXPECT_EQ(problem_code_from("no_such_problem"), std::nullopt);
  EXPECT_EQ(problem_code_from(""), std::nullopt);
}

TEST(Problems, OfAFieldNameItInTheDetailAndTheErrors) {
  const Problem problem = invalid_field("retry.backoff", "must be from 1 to 1000");
  EXPECT_EQ(problem.code, ProblemCode::invalid_argument);
  EXPECT_EQ(problem.detail, "retry.backoff: must be from 1 to 1000");
  ASSERT_EQ(problem.errors.size(), 1U);
  EXPECT_EQ(problem.errors[0], (FieldError{"retry.backoff", "must be from 1 to 1000"}));
}

TEST(AResult, IsAValueOrAProblem) {
  const Result<int> value = 3;
  EXPECT_TRUE(value.ok());
  EXPECT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(*value, 3);
  const Result<int> failed = Problem{.code = ProblemCode::conflict, .detail = "no"};
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.problem().detail, "no");
  EXPECT_NE(value, failed);
}

TEST(AResult, MayHoldAProblemAsItsValueType) {
  struct Holder {
    Problem inner;
    bool operator==(const Holder&) const = default;
  };
  const Result<Holder> value = Holder{invalid_field("a", "b")};
  EXPECT_TRUE(value.ok());
}

TEST(AResult, SupportsMoveOnlyTypes) {
  Result<std::unique_ptr<int>> value = std::make_unique<int>(4);
  const std::unique_ptr<int> taken = std::move(*value);
  EXPECT_EQ(*taken, 4);
}

TEST(AResultDeathTest, AbortsOnMisuse) {
  const Result<int> failed = Problem{.code = ProblemCode::conflict, .detail = {}};
  EXPECT_DEATH((void)*failed, "checked before its value is used");
  const Result<int> value = 3;
  EXPECT_DEATH((void)value.problem(), "only a failed result");
}

}  // namespace
}  // namespace pawl::core
