// A node completes a lease that it granted from its cache; changes by another node in the meantime are not
// lost.
#include <gtest/gtest.h>

#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::Place;
using core::TaskRecord;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

class PostgresRemembered : public ::testing::Test {
 protected:
  static LoadRequest to_end(const TaskRecord& held, std::string_view worker_id) {
    LoadTask task{.id = held.id};
    task.hints.ended_lease = {.fence = 1, .worker_id = worker_id};
    return {.tasks = {task}};
  }
  // Completes as the engine does: loads only to end the lease, decides, writes.
  static void complete(Hands& hands, const TaskRecord& held) {
    const auto tx = hands.store->begin();
    Loaded loaded = tx->load(to_end(held, hands.worker));
    TaskRecord record = loaded.tasks.front().value();
    const core::Report report{
        .task_id = record.id, .fence = record.progress.fence, .action = core::ReportAction::complete};
    const auto decided = core::decide_report(record, hands.worker, report, nullptr, {.now = tx->now()});
    core::apply(record, *decided->change);
    WriteSet writes;
    writes.tasks.push_back(Hands::written(record, Place::leased, 1));
    tx->commit(writes);
  }
  static void renew(Hands& hands, const TaskRecord& held) {
    const auto tx = hands.store->begin();
    Loaded loaded = tx->load({.tasks = {{.id = held.id}}});
    TaskRecord record = loaded.tasks.front().value();
    ++record.lease->renewals;
    WriteSet writes;
    writes.tasks.push_back(Hands::written(record, Place::leased, 1));
    tx->commit(writes);
  }
  static Place place_of(Hands& hands, const core::TaskId& id) {
    return hands.store->find_task(id)->record.place;
  }

  Database database;
  Hands mine{database.conninfo(), 0ms};
  Hands other{database.conninfo(), 0ms};
};

TEST_F(PostgresRemembered, ComparesALeaseThatAnotherNodeRenewedAndReadsItAgain) {
  (void)mine.enqueue(1);
  const TaskRecord held = mine.claim(1).front();
  renew(other, held);
  EXPECT_THROW(complete(mine, held), StoreError);
  EXPECT_EQ(place_of(mine, held.id), Place::leased);
  complete(mine, held);
  EXPECT_EQ(place_of(mine, held.id), Place::finished);
}

TEST_F(PostgresRemembered, DoesNotMistakeAnotherLeaseAtTheSameRowAddress) {
  (void)mine.enqueue(2);
  const TaskRecord held = mine.claim(1).front();
  complete(other, held);
  Session session{database.conninfo()};
  const std::string address = "select ctid from pawl.leases";
  session.query("vacuum pawl.leases");
  const TaskRecord next = other.claim(1).front();
  ASSERT_EQ(session.value(address), "(0,1)");
  EXPECT_THROW(complete(mine, held), StoreError);
  EXPECT_EQ(place_of(mine, next.id), Place::leased);
}

TEST_F(PostgresRemembered, UsesACachedLeaseOnlyForItsHolder) {
  (void)mine.enqueue(1);
  const TaskRecord held = mine.claim(1).front();
  complete(other, held);
  const auto tx = mine.store->begin();
  EXPECT_EQ(tx->load(to_end(held, "somebody else")).tasks.front()->place, Place::finished);
}

TEST_F(PostgresRemembered, ReadsAnExpiredLeaseAgain) {
  (void)mine.enqueue(1);
  const TaskRecord held = mine.claim(1, 10s).front();
  renew(other, held);
  mine.clock.advance(10s);
  const auto tx = mine.store->begin();
  EXPECT_EQ(tx->load(to_end(held, mine.worker)).tasks.front()->lease->renewals, 1);
}

}  // namespace
}  // namespace pawl::store
