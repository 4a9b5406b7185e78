// A store that hangs or fails: callers get timely answers, unauthenticated callers no details, and the log
// the cause.
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include <gtest/gtest.h>
#include <unistd.h>

#include "server/serve.hpp"
#include "store/faulty.hpp"
#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Every call to the store blocks while it hangs, or is refused.
class Hang final : public store::FaultPlan {
 public:
  void before(store::Verb /*verb*/) override {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return !hangs_; });
    if (!refusal_.empty()) throw store::StoreError{store::StoreError::Kind::unavailable, refusal_};
  }

  void hang(bool hangs) {
    {
      const std::lock_guard lock{mutex_};
      hangs_ = hangs;
    }
    changed_.notify_all();
  }
  void refuse(const std::string& why) {
    const std::lock_guard lock{mutex_};
    refusal_ = why;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool hangs_ = false;
  std::string refusal_;
};

class HungStore : public ::testing::Test {
 protected:
  void TearDown() override {
    plan.hang(false);
    plan.refuse("");
  }
  [[nodiscard]] std::string ask(const std::string& request) const {
    RawClient client{front.port()};
    client.send(request);
    return client.receive();
  }

  Hang plan;
  SteppedClock clock;
  runtime::SystemRandom random;
  std::unique_ptr<store::Store> store = store::make_faulty_store(store::make_memory_store(clock), plan);
  runtime::Runtime runtime{*store, clock, random};
  HttpFront front{
      {.api = runtime.local(),
       .submit = [this](core::Command command,
                        core::Reply reply) { runtime.submit(std::move(command), std::move(reply)); },
       .engine = runtime.engine(),
       .store = *store},
      clock,
      random};
};

TEST_F(HungStore, IsReportedByReadyzWhenEveryThreadWaitsForIt) {
  EXPECT_EQ(status_of(ask(get("/readyz"))), 200);
  plan.hang(true);
  std::vector<std::unique_ptr<RawClient>> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(std::make_unique<RawClient>(front.port()));
    waiting.back()->send(get("/v1/default/tasks"));
  }
  const auto began_at = std::chrono::steady_clock::now();
  const std::string answer = ask(get("/readyz"));
  EXPECT_EQ(status_of(answer), 503);
  EXPECT_NE(answer.find(R"("detail":"the store cannot be reached")"), std::string::npos) << answer;
  EXPECT_LT(std::chrono::steady_clock::now() - began_at, seconds{10});
  EXPECT_EQ(status_of(ask(get("/readyz"))), 503) << "and at once, as long as that look lasts";
  EXPECT_EQ(status_of(ask(get("/healthz"))), 200);
  plan.hang(false);
  for (const auto& client : waiting) EXPECT_EQ(status_of(client->receive()), 200);
  while (status_of(ask(get("/readyz"))) != 200) std::this_thread::yield();
}

TEST_F(HungStore, IsReadyAgainAfterTwoSuccessfulChecks) {
  plan.refuse("away");
  EXPECT_EQ(status_of(ask(get("/readyz"))), 503);
  plan.refuse("");
  EXPECT_EQ(status_of(ask(get("/readyz"))), 503);
  EXPECT_EQ(status_of(ask(get("/readyz"))), 200);
  EXPECT_EQ(status_of(ask(get("/readyz"))), 200);
}

constexpr std::string_view kCause = "connection to server at 10.0.0.7, port 5432 failed";

TEST_F(HungStore, IsNotDescribedToUnauthenticatedCallers) {
  plan.refuse(std::string{kCause});
  for (const auto* path : {"/readyz", "/v1/default/tasks"}) {  // the caller of the second is unknown
    const std::string answer = ask(get(path));
    EXPECT_EQ(status_of(answer), 503) << path;
    EXPECT_NE(answer.find(R"("detail":"the store cannot be reached")"), std::string::npos) << answer;
  }
}

TEST_F(HungStore, IsTheLoggedReasonOfAResponse) {
  ASSERT_EQ(status_of(ask(get("/v1/default/tasks"))), 200);  // caches the caller's permissions
  plan.refuse(std::string{kCause});
  ::testing::internal::CaptureStderr();
  const std::string ready = ask(get("/readyz", "X-Request-Id: of-the-probe\r\n"));
  const std::string listed =
      ask(get("/v1/default/tasks", "X-Request-Id: of-the-list\r\nAuthorization: Bearer secret\r\n"));
  const std::string stored =
      ask(post("/v1/default/tasks", R"({"type":"a","payload":"hidden"})", "X-Request-Id: of-the-task\r\n"));
  const std::string log = ::testing::internal::GetCapturedStderr();
  for (const auto* id : {"of-the-probe", "of-the-list", "of-the-task"}) {
    const std::size_t at = log.find(id);
    ASSERT_NE(at, std::string::npos) << log;
    EXPECT_NE(log.substr(at, log.find('\n', at) - at).find(kCause), std::string::npos) << id << "\n" << log;
  }
  EXPECT_EQ(log.find("secret"), std::string::npos);
  EXPECT_EQ(log.find("hidden"), std::string::npos);
}

// Serves until SIGTERM, which arrives while the store hangs.
void serve_and_hang() {
  static Hang plan;
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  const auto store = store::make_faulty_store(store::make_memory_store(clock), plan);
  const server::ServeOptions options{.stop_time = milliseconds{200}, .end_time = milliseconds{200}};
  const auto served = server::serve(*store, clock, random, options, [](const server::Serving&) {
    plan.hang(true);
    ::kill(::getpid(), SIGTERM);
  });
  std::_Exit(served ? 77 : 78);  // it did not hang
}

TEST(HungStoreDeathTest, DoesNotPreventTheServerFromStopping) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(serve_and_hang(), ::testing::ExitedWithCode(EXIT_FAILURE),
              "shutdown timed out: terminated without waiting for the store");
}

}  // namespace
}  // namespace pawl::testing
