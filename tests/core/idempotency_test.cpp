#include "core/records/idempotency.hpp"

#include <gtest/gtest.h>

#include "tests/core/now.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

Record pending(const std::string& task_id, std::int64_t fence) {
  const std::optional<Record> none;
  auto begun = decide_begin({.key = "k", .request_hash = "h", .ttl = 1h}, {}, std::span{&none, 1}, kNow);
  Record record{.ref = begun->changes.at(0).ref, .version = 5, .body = *begun->changes.at(0).body};
  if (task_id.empty()) return record;
  const auto id = TaskId{*parse_uuid(task_id)};
  begun = decide_begin({.key = "k", .request_hash = "h", .ttl = 1h, .task_id = id}, {.own_fence = fence},
                       std::span{&none, 1}, kNow);
  record.body = *begun->changes.at(0).body;
  return record;
}

Result<RecordDecision> begin(const Record& record, const IdempotencyLeases& leases,
                             std::optional<TaskId> task = {}) {
  const std::optional<Record> found = record;
  return decide_begin({.key = "k", .request_hash = "h", .ttl = 1h, .task_id = task}, leases,
                      std::span{&found, 1}, kNow);
}

constexpr const char* kTask = "01890a5d-ac96-774b-bcce-b302099a8057";

TEST(IdempotencyKey, PendingBelongsToTheCallerThatBeganIt) {
  EXPECT_EQ(begin(pending("", 0), {}).problem().code, ProblemCode::conflict);
  EXPECT_EQ(begin(pending(kTask, 3), {.own_fence = 3}).problem().code, ProblemCode::conflict)
      << "another task may have the same fence";
  EXPECT_TRUE(begin(pending(kTask, 3), {.own_fence = 3}, TaskId{*parse_uuid(kTask)}).ok());
  EXPECT_FALSE(begin(pending(kTask, 3), {.own_fence = 4}, TaskId{*parse_uuid(kTask)}).ok());
}

TEST(IdempotencyKey, WithALostLeaseIsReassignedOnlyAtTheVersionRead) {
  EXPECT_TRUE(begin(pending(kTask, 3), {.lost_version = 5}).ok());
  EXPECT_EQ(begin(pending(kTask, 3), {.lost_version = 4}).problem().code, ProblemCode::conflict)
      << "somebody else began it since";
}

TEST(IdempotencyKey, EndsAtItsExpiry) {
  const Record record = pending("", 0);
  EXPECT_TRUE(idempotency_at(record, kNow + 1h - 1us).has_value());
  EXPECT_FALSE(idempotency_at(record, kNow + 1h).has_value());
}

TEST(IdempotencyKey, IsValidatedBeforeItIsStored) {
  EXPECT_EQ(check(BeginIdempotency{.key = "k"}).problem().errors.at(0).field, "request_hash");
  EXPECT_EQ(check(EndIdempotency{.key = "k", .response = {"{"}}).problem().errors.at(0).field, "response");
}

}  // namespace
}  // namespace pawl::core
