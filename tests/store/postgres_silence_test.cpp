// Servers that hang while their connections stay open (SIGSTOP): the missing answers are the only sign.
#include <csignal>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "store/postgres/failure.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"
#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

// The server processes of the store, stopped until the end of the test at the latest.
class Stopped {
 public:
  explicit Stopped(const std::vector<std::string>& processes) {
    for (const std::string& process : processes) pids_.push_back(std::stoi(process));
    for (const pid_t pid : pids_) EXPECT_EQ(::kill(pid, SIGSTOP), 0) << pid;
  }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;
  ~Stopped() { go_on(); }

  void go_on() {
    for (const pid_t pid : std::exchange(pids_, {})) ::kill(pid, SIGCONT);
  }
  [[nodiscard]] std::size_t size() const { return pids_.size(); }

 private:
  std::vector<pid_t> pids_;
};

class PostgresSilence : public ::testing::Test {
 protected:
  static constexpr auto kSilence = 1s;

  PostgresSilence() {
    hands.store = open_postgres({.conninfo = database.conninfo(),
                                 .clock = &hands.clock,
                                 .lane_cache_staleness = 0ms,
                                 .silence_max = kSilence});
  }
  [[nodiscard]] std::vector<std::string> processes() {
    return session.query("select pid from pg_stat_activity where application_name = 'pawl' and datname = '" +
                         database.name() + "'");
  }

  // Continues the server once the store asks for the commit's outcome on another connection, or after 30 s.
  [[nodiscard]] std::thread let_go_on_when_asked_again(Stopped& stopped) {
    return std::thread{[this, &stopped] {
      const auto until = std::chrono::steady_clock::now() + 30s;
      while (processes().size() <= stopped.size() && std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
      stopped.go_on();
    }};
  }

  Database database;
  Hands hands{database.conninfo(), 0ms};
  Session session{database.conninfo()};
};

TEST_F(PostgresSilence, OfOneProcessMovesTheCallToAnotherProcess) {
  const auto id = hands.enqueue(1).front();
  ASSERT_TRUE(hands.store->find_task(id));
  const Stopped stopped{processes()};
  ASSERT_GT(stopped.size(), 0U);
  const auto began_at = std::chrono::steady_clock::now();
  EXPECT_TRUE(hands.store->find_task(id));
  EXPECT_EQ(hands.claim(1).size(), 1U);
  EXPECT_GE(std::chrono::steady_clock::now() - began_at, kSilence) << "nothing stood still";
  EXPECT_LT(std::chrono::steady_clock::now() - began_at, 10s);
}

TEST_F(PostgresSilence, InMidTransactionIsReportedAsUnavailable) {
  const auto id = hands.enqueue(1).front();
  auto tx = hands.store->begin();
  Stopped stopped{processes()};
  try {
    (void)tx->load({.tasks = {{.id = id}}});
    FAIL() << "the server stands still";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::unavailable);
    EXPECT_STREQ(error.what(), "PostgreSQL has not answered for 1s");
  }
  tx.reset();
  stopped.go_on();
  EXPECT_EQ(hands.claim(1).size(), 1U);
}

// More than all buffers in between hold, so that sending blocks too.
TEST_F(PostgresSilence, EndsABlockedSend) {
  const auto tx = hands.store->begin();
  std::vector<core::TaskRecord> records;
  const std::string payload = "\"" + std::string(1U << 20U, 'x') + "\"";
  for (int i = 0; i < 32; ++i)
    records.push_back(hands.new_task({.type = "mail", .payload = {payload}}, tx->now()));
  WriteSet writes;
  for (const core::TaskRecord& record : records) writes.tasks.push_back({.is_new = true, .record = &record});
  Stopped stopped{processes()};
  std::thread rescue = let_go_on_when_asked_again(stopped);
  EXPECT_THROW(tx->commit(writes), StoreError);  // it never arrived completely
  rescue.join();
  EXPECT_EQ(session.value("select count(*) from pawl.tasks"), "0");
}

// The outcome was unknown: the server executes the commit once it continues.
TEST_F(PostgresSilence, AfterACommitIsNotTreatedAsARejection) {
  (void)hands.enqueue(1);
  const auto tx = hands.store->begin();
  const core::TaskRecord record = hands.new_task({.type = "mail"}, tx->now());
  Stopped stopped{processes()};
  std::thread rescue = let_go_on_when_asked_again(stopped);
  tx->commit({.tasks = {{.is_new = true, .record = &record}}});
  rescue.join();
  EXPECT_TRUE(hands.store->find_task(record.id));
}

TEST_F(PostgresSilence, HasALongerLimitForSlowOperations) {
  postgres::Server server{database.conninfo(), nullptr, kSilence};
  postgres::Connection patient{server, 1min};
  patient.connect_or_throw();
  EXPECT_FALSE(patient.run_script("select pg_sleep(1.5); select 1"));
  patient.send(postgres::sql::now);
  EXPECT_EQ(patient.run_or_throw().size(), 1U) << "and it goes on with the pipeline";
  postgres::Connection other{server};
  other.connect_or_throw();
  std::vector<postgres::Rows> answers;
  other.send_text("select pg_sleep(1.5)", {});
  EXPECT_FALSE(other.run(answers, 1min));
  const auto failure = other.run_script("select pg_sleep(600)");
  ASSERT_TRUE(failure);
  EXPECT_TRUE(failure->is_lost);
  EXPECT_FALSE(other.is_connected());
}

// Otherwise the node would treat a working server as lost, and abandon its work.
TEST_F(PostgresSilence, LimitExceedsTheTimeoutsOfTheServer) {
  const auto default_max = PostgresOptions{}.silence_max;
  postgres::Server server{database.conninfo(), nullptr, default_max};
  postgres::Connection connection{server};
  connection.connect_or_throw();
  const auto is_shorter = [&](std::string_view settings, const std::string& name) {
    connection.send(postgres::sql::begin_write);
    connection.send(settings);
    connection.send_text("select extract(epoch from current_setting('" + name + "')::interval)::int8", {});
    const auto answers = connection.run_or_throw();
    connection.roll_back();
    const auto limit = std::chrono::seconds{std::stoi(std::string{answers.back().text(0, 0)})};
    return limit > 0s && limit < default_max;
  };
  EXPECT_TRUE(is_shorter(postgres::sql::start_write, "lock_timeout"));
  EXPECT_TRUE(is_shorter(postgres::sql::pin_plans, "lock_timeout"));
  EXPECT_TRUE(is_shorter(postgres::sql::pin_plans, "statement_timeout"));
  EXPECT_EQ(postgres::kind_of("57014", ""), StoreError::Kind::timeout);
}

TEST_F(PostgresSilence, IsNotDetectedWhileTheReplyArrivesInPieces) {
  postgres::Server server{database.conninfo(), nullptr, kSilence};
  postgres::Connection connection{server};
  connection.connect_or_throw();
  // Each piece exceeds the server's buffer and arrives within the limit; all of them together take longer.
  connection.send_text(
      "select repeat('x', 20000) || coalesce(pg_sleep(0.05)::text, '') from generate_series(1, 30)", {});
  EXPECT_EQ(connection.run_or_throw().front().count(), 30);
}

}  // namespace
}  // namespace pawl::store
