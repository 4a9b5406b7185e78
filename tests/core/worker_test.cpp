#include "core/records/worker.hpp"

#include <gtest/gtest.h>

#include "tests/core/now.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

Record record_of(const RecordChange& change) {
  return {.ref = change.ref, .version = 1, .body = *change.body, .expires_at = change.expires_at};
}

Record claimed_by(const std::string& id) {
  const std::optional<Record> none;
  return record_of(decide_claimed_by({.worker_id = id}, std::span{&none, 1}, kNow)->changes.at(0));
}

TEST(Worker, RegisteredByAClaimKeepsItsTasksWhenOffline) {
  const std::optional<Record> found = claimed_by("w");
  EXPECT_TRUE(worker_at(*found, kNow).is_minimal);
  const auto due = decide_worker_due({}, std::span{&found, 1}, kNow + kWorkerTimeout);
  EXPECT_EQ(due->eviction, Eviction::none) << "it never promised heartbeats; its leases speak for it";
  EXPECT_EQ(worker_from(*due->changes.at(0).body).status, WorkerStatus::offline);
}

TEST(Worker, StaysOnlineAfterAHeartbeatDuringTheSweep) {
  std::optional<Record> found = claimed_by("w");
  const auto beat = decide_heartbeat({.worker_id = "w"}, std::span{&found, 1}, kNow + 59s);
  found = record_of(beat->changes.at(0));
  const auto due = decide_worker_due({}, std::span{&found, 1}, kNow + 60s);
  EXPECT_TRUE(due->changes.empty());
  EXPECT_EQ(due->eviction, Eviction::none);
}

TEST(Worker, StaysOnlineWhileItRenewsItsTasks) {
  std::optional<Record> found = claimed_by("w");
  found = record_of(decide_heartbeat({.worker_id = "w"}, std::span{&found, 1}, kNow)->changes.at(0));
  const auto due = decide_worker_due({.renewed_at = kNow + 45s}, std::span{&found, 1}, kNow + 60s);
  EXPECT_EQ(due->eviction, Eviction::none);
  const Record seen = record_of(due->changes.at(0));
  EXPECT_EQ(worker_at(seen, kNow + 104s).status, WorkerStatus::online);
  EXPECT_EQ(worker_at(seen, kNow + 105s).status, WorkerStatus::offline);
  const auto late = decide_worker_due({.renewed_at = kNow}, std::span{&found, 1}, kNow + 60s);
  EXPECT_EQ(late->eviction, Eviction::recover);
}

TEST(Worker, StaysDueWhileItHoldsMoreTasksThanWereListed) {
  std::optional<Record> found = claimed_by("w");
  found = record_of(decide_heartbeat({.worker_id = "w"}, std::span{&found, 1}, kNow)->changes.at(0));
  const auto due = decide_worker_due({.is_all = false}, std::span{&found, 1}, kNow + 60s);
  EXPECT_EQ(due->eviction, Eviction::recover);
  EXPECT_TRUE(due->changes.empty());
}

TEST(Worker, RegisteredConcurrentlyMustBeReadAgain) {
  const Registration first{.request = {.hostname = "h", .pid = 1}, .worker_id = "a"};
  const std::vector<std::optional<Record>> nothing(2);
  const auto done = decide_register(first, nothing, kNow);
  const std::vector<std::optional<Record>> found{std::nullopt, record_of(done->changes.at(1))};
  const Registration second{.request = {.hostname = "h", .pid = 1}, .worker_id = "b"};
  EXPECT_EQ(decide_register(second, found, kNow).problem().code, ProblemCode::conflict);
}

}  // namespace
}  // namespace pawl::core
