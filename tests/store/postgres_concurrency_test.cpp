// Several stores and threads on one database: no task is claimed twice, and no transaction waits forever.
#include <atomic>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::Place;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

TEST(PostgresConcurrency, TwoNodesClaimingOneLaneGetDisjointTasks) {
  const Database database;
  Hands first{database.conninfo(), 200ms, false};
  Hands second{database.conninfo(), 200ms, false};
  for (int i = 0; i < 10; ++i) (void)first.enqueue(200);
  std::vector<core::TaskId> seen[2];
  const auto drain = [](Hands& hands, std::vector<core::TaskId>& mine) {
    for (int empty = 0; empty < 5;) {
      const auto claimed = hands.claim(37);
      empty = claimed.empty() ? empty + 1 : 0;
      if (claimed.empty())
        std::this_thread::sleep_for(100ms);  // other nodes' commits become visible with a delay
      for (const auto& record : claimed) mine.push_back(record.id);
    }
  };
  std::thread other{[&] { drain(second, seen[1]); }};
  drain(first, seen[0]);
  other.join();
  std::set<core::TaskId> all(seen[0].begin(), seen[0].end());
  all.insert(seen[1].begin(), seen[1].end());
  EXPECT_EQ(seen[0].size() + seen[1].size(), 2000U);
  EXPECT_EQ(all.size(), 2000U);
}

TEST(PostgresConcurrency, BatchesInOppositeOrderNeverDeadlock) {
  const Database database;
  Hands hands{database.conninfo(), 0ms, false};
  (void)hands.enqueue(100);
  const auto claimed = hands.claim(100, 1h);
  std::atomic<int> failures = 0;
  const auto renew = [&](bool reversed) {
    for (int round = 0; round < 40; ++round) {
      LoadRequest request;
      for (const auto& record : claimed) request.tasks.push_back({.id = record.id});
      if (reversed) std::reverse(request.tasks.begin(), request.tasks.end());
      try {
        const auto tx = hands.store->begin();
        Loaded loaded = tx->load(request);
        WriteSet writes;
        for (auto& record : loaded.tasks) {
          ++record->lease->renewals;
          writes.tasks.push_back(Hands::written(*record, Place::leased, record->progress.fence));
        }
        tx->commit(writes);
      } catch (const StoreError& error) {
        ++failures;
        ADD_FAILURE() << error.what();
      }
    }
  };
  std::thread other{[&] { renew(true); }};
  renew(false);
  other.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(hands.store->find_task(claimed[0].id)->record.lease->renewals, 80);
}

TEST(PostgresConcurrency, ConcurrentEnqueuesWithOneIdempotencyKeyCreateOneTask) {
  const Database database;
  Hands hands{database.conninfo(), 0ms, false};
  (void)hands.lane({.type = "mail"});
  std::atomic<int> created = 0;
  std::atomic<int> retried = 0;
  std::mutex ids;
  const auto enter = [&] {
    for (int round = 0; round < 20; ++round) {
      const core::TaskSpec spec{.type = "mail", .idempotency_key = "key-" + std::to_string(round)};
      try {
        const auto tx = hands.store->begin();
        core::TaskRecord record;
        {
          const std::lock_guard lock{ids};
          record = hands.new_task(spec, tx->now());
        }
        tx->commit({.tasks = {{.is_new = true, .record = &record}}});
        ++created;
      } catch (const StoreError& error) {
        EXPECT_EQ(error.kind(), StoreError::Kind::retry);
        ++retried;
      }
    }
  };
  std::thread other{enter};
  enter();
  other.join();
  EXPECT_EQ(created, 20);
  EXPECT_EQ(retried, 20);
}

TEST(PostgresConcurrency, HoldersOfALineAndOfItsTaskDoNotDeadlock) {
  const Database database;
  Hands hands{database.conninfo(), 0ms};
  const LineRef ref{.ns = "default", .queue = "default", .key = "k"};
  const core::TaskSpec spec{.type = "mail", .key = "k"};
  auto tx = hands.store->begin();
  (void)tx->lock_lines({&ref, 1});
  const core::TaskRecord head = hands.new_task(spec, tx->now());
  const core::TaskRecord second =
      core::new_task(core::TaskId{hands.ids.next(tx->now())}, *head.lane, spec, tx->now(), false);
  tx->commit(
      {.tasks = {{.is_new = true, .record = &head}, {.is_new = true, .record = &second, .line_position = 1}},
       .lines = {{.ref = ref, .line = {.head = head.id, .tail = 1}}}});

  auto canceller = hands.store->begin();
  core::TaskRecord cancelled = canceller->load({.tasks = {{.id = second.id}}}).tasks.front().value();
  auto advancer = hands.store->begin();
  (void)advancer->lock_lines({&ref, 1});
  auto next = advancer->first_waiting(ref, 1);
  ASSERT_EQ(next.size(), 1U);
  std::thread waits{[&] { (void)canceller->lock_lines({&ref, 1}); }};
  core::apply(next[0], core::decide_unblock(next[0], advancer->now()));
  advancer->commit({.tasks = {Hands::written(next[0], Place::waiting, 0)},
                    .lines = {{.ref = ref, .line = {.head = second.id, .tail = 1}}}});
  waits.join();
  core::apply(cancelled, core::decide_cancel(cancelled, canceller->now()).value());
  EXPECT_THROW(canceller->commit({.tasks = {Hands::written(cancelled, Place::waiting, 0)}}), StoreError);
  canceller.reset();
  EXPECT_EQ(hands.store->find_task(second.id)->record.place, Place::ready);
}

TEST(PostgresConcurrency, ConcurrentlyCreatedLanesAreTheSameForAllNodes) {
  const Database database;
  Hands first{database.conninfo(), 0ms};
  Hands second{database.conninfo(), 0ms};
  const auto make = [](Hands& hands, int step) {
    for (int i = 0; i < 30; ++i) (void)hands.lane({.type = "type-" + std::to_string((i * step) % 31)});
  };
  std::thread other{[&] { make(second, 7); }};
  make(first, 3);
  other.join();
  for (int i = 0; i < 31; ++i) {
    const core::TaskSpec spec{.type = "type-" + std::to_string(i)};
    EXPECT_EQ(first.lane(spec)->id, second.lane(spec)->id);
  }
  EXPECT_EQ(Session{database.conninfo()}.value("select max(id), count(*) from pawl.lanes"), "31|31");
}

}  // namespace
}  // namespace pawl::store
