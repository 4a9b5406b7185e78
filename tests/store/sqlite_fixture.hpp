#pragma once
// Shared by the tests of the SQLite store: a temporary folder, a clock that stands still, and helpers that
// bring tasks to each place without an engine.

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "core/task/task_machine.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace pawl::store {

using namespace std::chrono_literals;

// Changes the file as another program would.
inline void execute(const std::string& path, const std::string& script) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, script.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

class StillClock final : public core::Clock {
 public:
  core::TimePoint now() override { return now_; }
  core::MonotonicTime monotonic() override { return core::MonotonicTime{now_.time_since_epoch()}; }
  void advance(core::Duration by) { now_ += by; }

 private:
  core::TimePoint now_ = core::time_from_micros(1'800'000'000'000'000);
};

class CountingRandom final : public core::Random {
 public:
  explicit CountingRandom(std::uint64_t seed = 7) : state_(seed) {}
  std::uint64_t next() override { return state_ += 0x9e3779b97f4a7c15; }

 private:
  std::uint64_t state_;
};

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pawl-sqlite-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// A write of `record`, previously at `from` with `fence_before`.
inline TaskWrite moved(const core::TaskRecord& record, core::Place from, std::int64_t fence_before) {
  return {.from = from, .fence_before = fence_before, .record = &record};
}
inline TaskWrite added(const core::TaskRecord& record) { return {.is_new = true, .record = &record}; }

class SqliteTest : public ::testing::Test {
 protected:
  SqliteTest() { store = open(); }

  [[nodiscard]] std::unique_ptr<Store> open(std::optional<std::int64_t> max_page_count = {}) {
    return open_sqlite({.path = path, .clock = &clock, .random = &random, .max_page_count = max_page_count});
  }

  const core::Lane& lane(const std::string& queue = "default", const std::string& type = "t",
                         std::int32_t priority = 0) {
    const LaneKey key{.ns = "default", .queue = queue, .type = type, .priority = priority};
    return *store->intern_lanes({&key, 1}).front();
  }

  core::TaskRecord new_task(core::TaskSpec spec = {}, bool first_in_line = true) {
    if (spec.type.empty()) spec.type = "t";
    const core::Lane& place = lane(spec.queue, spec.type, spec.priority);
    return core::new_task(core::TaskId{ids.next(clock.now())}, place, spec, clock.now(), first_in_line);
  }

  core::TaskRecord enqueue(core::TaskSpec spec = {}) {
    const core::TaskRecord record = new_task(std::move(spec));
    store->begin()->commit({.tasks = {added(record)}});
    return record;
  }

  std::vector<core::TaskRecord> claim(std::size_t max, const std::string& worker = "w") {
    return claim_from(*store, {&lane()}, max, worker);
  }

  std::vector<core::TaskRecord> claim_from(Store& from, const std::vector<const core::Lane*>& lanes,
                                           std::size_t max, const std::string& worker = "w") {
    std::vector<LaneShare> shares;
    for (const core::Lane* each : lanes)
      shares.push_back({.lane = each, .max = static_cast<std::int64_t>(max)});
    const auto transaction = from.begin();
    auto records = transaction->take_ready(shares, max);
    WriteSet writes;
    for (core::TaskRecord& record : records) {
      core::apply(record, core::decide_claim(record, worker, 30s, transaction->now()));
      writes.tasks.push_back(moved(record, core::Place::nowhere, 0));
    }
    transaction->commit(writes);
    return records;
  }

  // Reports on a held task, at the time of the transaction.
  void report(core::TaskRecord& record, const core::Report& what) {
    const core::TaskRecord before = record;
    const auto transaction = store->begin();
    const auto decision =
        core::decide_report(record, record.lease->worker_id, what, nullptr, {.now = clock.now()});
    ASSERT_TRUE(decision.ok());
    core::apply(record, *decision->change);
    TaskWrite write = moved(record, before.place, before.progress.fence);
    if (decision->change->attempt) write.attempts.push_back(*decision->change->attempt);
    transaction->commit({.tasks = {write}});
  }
  void complete(core::TaskRecord& record, std::string output = "") {
    report(record, {.task_id = record.id,
                    .fence = record.progress.fence,
                    .action = core::ReportAction::complete,
                    .output = {std::move(output)}});
  }
  void fail(core::TaskRecord& record, bool retryable) {
    report(record, {.task_id = record.id,
                    .fence = record.progress.fence,
                    .action = core::ReportAction::fail,
                    .error = {.code = "broken", .message = "a \"quoted\"\nreason", .retryable = retryable}});
  }

  std::optional<core::TaskRecord> load(const core::TaskId& id, bool facts = false) {
    return store->begin()->load({.tasks = {{.id = id, .facts = facts}}}).tasks.front();
  }

  TempFolder folder;
  std::string path = folder.file("pawl.db");
  StillClock clock;
  CountingRandom random;
  core::IdGenerator ids{random};
  std::unique_ptr<Store> store;
};

template <typename Work>
StoreError::Kind kind_thrown_by(Work&& work, std::string* message = nullptr) {
  try {
    work();
  } catch (const StoreError& error) {
    if (message != nullptr) *message = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return StoreError::Kind::internal;
}

}  // namespace pawl::store
