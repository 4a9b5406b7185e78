// PostgreSQL connections that are terminated under load (B62): every loop reconnects, and no work is lost or
// done twice.

#include <atomic>
#include <set>

#include <libpq-fe.h>

#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

using core::ReportAction;
using core::TaskStatus;

namespace {

// Repeatedly terminates every connection to the database but its own.
class Cutter {
 public:
  explicit Cutter(const std::string& conninfo) : connection_(PQconnectdb(conninfo.c_str())) {
    EXPECT_EQ(PQstatus(connection_), CONNECTION_OK);
  }
  Cutter(const Cutter&) = delete;
  Cutter& operator=(const Cutter&) = delete;
  ~Cutter() { PQfinish(connection_); }

  // Returns the number of terminated connections.
  int cut() {
    PGresult* result = PQexec(connection_,
                              "select count(pg_terminate_backend(pid)) from pg_stat_activity "
                              "where datname = current_database() and pid <> pg_backend_pid()");
    EXPECT_EQ(PQresultStatus(result), PGRES_TUPLES_OK) << PQerrorMessage(connection_);
    const int count = std::atoi(PQgetvalue(result, 0, 0));
    PQclear(result);
    return count;
  }

 private:
  PGconn* connection_;
};

// A correct client: it retries unanswered calls. The limit is a time and not a number of tries, since a store
// that backs off before it reconnects refuses calls immediately.
template <typename Call>
auto until_answered(Call call) {
  auto answer = call();
  (void)eventually([&] {
    if (answer.ok()) return true;
    EXPECT_EQ(answer.problem().code, core::ProblemCode::unavailable) << answer.problem().detail;
    answer = call();
    return answer.ok();
  });
  return answer;
}

}  // namespace

TEST(Disconnects, B62_StopNoBackgroundLoop) {
  constexpr int kThreads = 3;
  constexpr int kEach = 60;
  Database database{StoreKind::postgres};
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  RunningNode node{std::shared_ptr<store::Store>{database.open(clock, random)}};
  Cutter cutter{database.location()};
  std::atomic<bool> is_over = false;
  std::atomic<int> progress = 0;
  int cuts = 0;
  std::thread cutting([&] {
    for (int seen = 0; !is_over;) {  // a cut after each bit of progress, so that work continues between cuts
      if (!eventually([&] { return is_over || progress >= seen + 10; })) return;
      seen = progress;
      if (!is_over) cuts += cutter.cut();
    }
  });

  in_parallel(kThreads, [&](int thread) {
    const std::string worker = "w" + std::to_string(thread);
    for (int i = 0; i < kEach; ++i) {
      core::TaskSpec spec = task_of("t");
      spec.idempotency_key = worker + "/" + std::to_string(i);
      ASSERT_TRUE(until_answered([&] { return node.api().enqueue("default", spec); }).ok());
      ++progress;
      const auto claimed =
          until_answered([&] { return node.api().claim({.worker_id = worker, .max = 3, .lease = 1s}); });
      ASSERT_TRUE(claimed.ok());
      for (const auto& one : *claimed) {
        const auto answers = until_answered([&] {
          return node.api().report(
              {.worker_id = worker, .reports = {report_of(one.task, ReportAction::complete)}});
        });
        ASSERT_TRUE(answers.ok());
        ++progress;
      }
    }
  });
  is_over = true;
  cutting.join();
  EXPECT_GT(cuts, 10);

  // The tasks of lost claims return when their leases expire, through the same ticker and loops.
  ASSERT_TRUE(eventually([&] {
    const auto claimed = node.api().claim({.worker_id = "last", .max = 100});
    if (!claimed) return false;
    for (const auto& one : *claimed) {
      EXPECT_TRUE(node.api()
                      .report({.worker_id = "last", .reports = {report_of(one.task, ReportAction::complete)}})
                      .ok());
    }
    return counts_of(node.api()).is_zero();
  }));
  const auto done = node.api().list_tasks({.query = {.statuses = {TaskStatus::completed}}, .limit = 500});
  EXPECT_EQ(done->items.size(), static_cast<std::size_t>(kThreads * kEach));
}

}  // namespace pawl::testing
