// Tasks: the client that enqueues them and the worker that executes them.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include "tests/sdk/fixture.hpp"

namespace pawl::testing {

struct Email {
  std::string to;
  int copies = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Email, to, copies)

namespace {

using Tasks = SdkTest;

TEST_P(Tasks, AreExecutedByTheirHandlersAndKeepTheResult) {
  Worker worker{client, quiet()};
  worker.task("email.send", [](Task& task, const Email& mail) {
    return Json{{"sent", mail.to}, {"key", task.execution_key()}, {"attempt", task.attempt()}};
  });
  worker.start();
  const Enqueued made = client.enqueue("email.send", Email{.to = "a@b.c", .copies = 2});
  const TaskInfo task = await_task(client, made.id);
  EXPECT_EQ(task.status, "completed");
  EXPECT_EQ(task.output<Json>(), (Json{{"sent", "a@b.c"}, {"key", made.id + ":1"}, {"attempt", 1}}));
}

TEST_P(Tasks, AreRejectedWithValuesThatJsonCannotHold) {
  const auto code_of = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return "";
  };
  const std::string bytes{"\xff"};
  EXPECT_EQ(code_of([&] { (void)client.enqueue("t", bytes); }), "invalid_argument");
  EXPECT_EQ(code_of([&] { (void)client.start("w", bytes); }), "invalid_argument");
  EXPECT_EQ(code_of([&] { client.complete_promise("token", bytes); }), "invalid_argument");
  EXPECT_EQ(code_of([&] { (void)client.enqueue("t", std::nan("")); }), "invalid_argument");
}

TEST_P(Tasks, AreExecutedInPriorityOrder) {
  const std::vector<std::int32_t> given{0, std::numeric_limits<std::int32_t>::min(), 70'000,
                                        std::numeric_limits<std::int32_t>::max(), -1};
  for (const std::int32_t priority : given) client.enqueue("note", priority, {.priority = priority});
  std::mutex mutex;
  std::vector<std::int32_t> order;
  WorkerOptions one_by_one = quiet();
  one_by_one.max_concurrent = 1;
  Worker worker{client, one_by_one};
  worker.task("note", [&](std::int32_t priority) {
    const std::lock_guard lock{mutex};
    order.push_back(priority);
  });
  worker.start();
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock{mutex};
    return order.size() == given.size();
  }));
  std::vector<std::int32_t> expected = given;
  std::sort(expected.begin(), expected.end(), std::greater<>{});
  worker.stop();
  EXPECT_EQ(order, expected);
}

TEST_P(Tasks, OfTwoTenantsAreExecutedInTurn) {
  for (int i = 0; i < 20; ++i) client.enqueue("who", "large", {.fairness_key = "large"});
  for (int i = 0; i < 3; ++i) client.enqueue("who", "small", {.fairness_key = "small", .fairness_weight = 2});
  EXPECT_THROW(client.enqueue("who", "nobody", {.fairness_weight = 2}), Error);
  std::mutex mutex;
  std::vector<std::string> order;
  WorkerOptions one_by_one = quiet();
  one_by_one.max_concurrent = 1;
  Worker worker{client, one_by_one};
  worker.task("who", [&](const std::string& who) {
    const std::lock_guard lock{mutex};
    order.push_back(who);
  });
  worker.start();
  const std::string last = client.enqueue("who", "last").id;
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock{mutex};
    return order.size() == 24;
  }));
  EXPECT_EQ(await_task(client, last).status, "completed");
  EXPECT_LT(std::distance(order.begin(), std::find(order.rbegin(), order.rend(), "small").base()), 15);
}

TEST_P(Tasks, HaveHandlersWithOptionalParameters) {
  Worker worker{client, quiet()};
  worker.task("input", [](const int& number) { return number + 1; })
      .task("context", [](Task& task) { return task.type(); })
      .task("nothing", [] {})
      .task("both", [](Task&, const std::vector<int>& numbers) { return numbers.size(); });
  worker.start();
  const std::string input = client.enqueue("input", 41).id;
  const std::string context = client.enqueue("context").id;
  const std::string nothing = client.enqueue("nothing").id;
  const std::string both = client.enqueue("both", std::vector<int>{1, 2, 3}).id;
  EXPECT_EQ(await_task(client, input).output<int>(), 42);
  EXPECT_EQ(await_task(client, context).output<std::string>(), "context");
  EXPECT_EQ(await_task(client, nothing).output_text, "null");
  EXPECT_EQ(await_task(client, both).output<int>(), 3);
}

TEST_P(Tasks, WithAnUndecodablePayloadFailWithTheFieldAndWithoutRetry) {
  std::atomic<int> calls = 0;
  Worker worker{client, quiet()};
  worker.task("email.send", [&](const Email&) { ++calls; });
  worker.start();
  const std::string wrong = client.enqueue("email.send", Json{{"to", 7}, {"copies", 1}}).id;
  const std::string missing = client.enqueue("email.send", Json{{"to", "a"}}).id;
  const TaskInfo task = await_task(client, wrong);
  EXPECT_EQ(task.status, "failed");
  EXPECT_EQ(task.attempt, 1);
  EXPECT_EQ(task.error->code, "invalid_payload");
  EXPECT_EQ(task.error->message, "/to: type must be string, but is number");
  EXPECT_EQ(await_task(client, missing).error->message, "/copies: key 'copies' not found");
  EXPECT_EQ(calls, 0);
}

TEST_P(Tasks, WithAPayloadThatViolatesTheHandlerSchemaFailWithTheField) {
  std::atomic<int> calls = 0;
  Worker worker{client, quiet()};
  worker.task("email.send",
              {.schema = R"({"type":"object","required":["to"],"properties":{"copies":{"maximum":3}}})"},
              [&](const Json&) { ++calls; });
  EXPECT_THROW(worker.task("other", {.schema = R"({"minLength":3})"}, [] {}), Error);
  EXPECT_THROW(worker.task("other", {.schema = "{"}, [] {}), Error);
  worker.start();
  const std::string wrong = client.enqueue("email.send", Json{{"to", "a"}, {"copies", 4}}).id;
  const std::string missing = client.enqueue("email.send", Json{{"copies", 1}}).id;
  const std::string good = client.enqueue("email.send", Json{{"to", "a"}}).id;
  const TaskInfo task = await_task(client, wrong);
  EXPECT_EQ(task.status, "failed");
  EXPECT_EQ(task.attempt, 1);
  EXPECT_EQ(task.error->code, "invalid_payload");
  EXPECT_NE(task.error->message.find("payload.copies"), std::string::npos) << task.error->message;
  EXPECT_NE(await_task(client, missing).error->message.find("to"), std::string::npos);
  EXPECT_EQ(await_task(client, good).status, "completed");
  EXPECT_EQ(calls, 1);
}

TEST_P(Tasks, ArePrefetchedByAWorker) {
  std::atomic<bool> go_on = false;
  WorkerOptions ahead = quiet();
  ahead.max_concurrent = 1;
  ahead.prefetch = 3;
  Worker worker{client, ahead};
  worker.task("slow", [&] { EXPECT_TRUE(eventually([&] { return go_on.load(); })); });
  std::vector<std::string> ids;
  for (int i = 0; i < 6; ++i) ids.push_back(client.enqueue("slow").id);
  worker.start();
  const auto count_of = [&](const std::string& status) {
    return std::count_if(ids.begin(), ids.end(),
                         [&](const std::string& id) { return client.task(id).status == status; });
  };
  EXPECT_TRUE(eventually([&] { return count_of("running") == 1 && count_of("claimed") == 3; }));
  EXPECT_EQ(count_of("pending"), 2);
  go_on = true;
  for (const std::string& id : ids) EXPECT_EQ(await_task(client, id).status, "completed");
}

TEST_P(Tasks, ReportHowTheyFailed) {
  Worker worker{client, quiet()};
  worker.task("never", [] { throw Failure("no_such_card", "the card is gone", false); })
      .task("throws", [] { throw std::runtime_error("boom"); })
      .task("later",
            [](Task& task) {
              if (task.attempt() == 1) throw RetryAfter(std::chrono::milliseconds{1}, "busy");
              return task.attempt();
            })
      .task("bytes", [] { return std::string("\xff\xfe"); });
  worker.start();
  const std::string never = client.enqueue("never").id;
  const std::string throws = client.enqueue("throws", nullptr, {.retry = {.max_attempts = 1}}).id;
  const std::string later = client.enqueue("later").id;
  const std::string bytes = client.enqueue("bytes").id;
  EXPECT_EQ(await_task(client, never).status, "failed");
  EXPECT_EQ(client.task(never).error->code, "no_such_card");
  EXPECT_EQ(client.task(never).error->message, "the card is gone");
  EXPECT_EQ(await_task(client, throws).status, "dead_letter");
  EXPECT_EQ(client.task(throws).error->code, "exception");
  EXPECT_EQ(client.task(throws).error->message, "boom");
  EXPECT_EQ(await_task(client, later).output<int>(), 2);
  EXPECT_EQ(await_task(client, bytes).status, "failed");
  EXPECT_EQ(client.task(bytes).error->code, "invalid_result");
}

TEST_P(Tasks, OfOneIdempotencyKeyAreCreatedOnce) {
  const EnqueueOptions options{.idempotency_key = "welcome-42"};
  const Enqueued first = client.enqueue("email.send", 1, options);
  const Enqueued again = client.enqueue("email.send", 1, options);
  EXPECT_TRUE(first.created);
  EXPECT_FALSE(again.created);
  EXPECT_EQ(first.id, again.id);
}

TEST_P(Tasks, OfABatchAreAllCreatedOrNone) {
  EXPECT_EQ(client.enqueue_batch("number", std::vector{1, 2, 3}, {.queue = "bulk"}).size(), 3U);
  EXPECT_THROW(client.enqueue_batch({new_task("good", 1), new_task("", 2)}), Error);
}

TEST_P(Tasks, GetAStopRequestAtTheirHeartbeatWhenCancelled) {
  std::atomic<bool> began = false;
  Worker worker{client, quiet({.lease = std::chrono::milliseconds{600}})};
  worker.task("long", [&](Task& task) {
    began = true;
    if (eventually([&] { return !task.heartbeat(); })) throw Failure("gone", "stopped");
  });
  worker.start();
  const std::string id = client.enqueue("long").id;
  ASSERT_TRUE(eventually([&] { return began.load(); }));
  client.cancel_task(id);
  EXPECT_EQ(await_task(client, id).status, "cancelled");
}

TEST_P(Tasks, GetAStopRequestBeforeTheirHeartbeatWhenCancelled) {
  std::atomic<bool> began = false;
  Worker worker{client, quiet({.lease = 10min})};
  worker.task("long", [&](Task& task) {
    began = true;
    static_cast<void>(eventually([&] { return !task.heartbeat(); }));
    throw Failure("stopped", "the handler noticed its stop token");
  });
  worker.start();
  const std::string id = client.enqueue("long").id;
  ASSERT_TRUE(eventually([&] { return began.load(); }));
  client.cancel_task(id);
  EXPECT_EQ(await_task(client, id).status, "cancelled");
}

TEST_P(Tasks, AreStoppedAtTheirTimeoutBeforeTheirNextAttemptStarts) {
  std::atomic<int> running = 0;
  std::atomic<int> concurrent_max = 0;
  Worker worker{client, quiet()};
  worker.task("long", [&](Task& task) {
    const int now = ++running;
    if (now > concurrent_max) concurrent_max = now;
    if (task.attempt() == 1) static_cast<void>(eventually([&] { return !task.heartbeat(); }));
    --running;
    if (task.attempt() == 1) throw Failure("stopped", "the handler noticed its stop token");
    return task.attempt();
  });
  worker.start();
  const std::string id =
      client.enqueue("long", nullptr, {.retry = {.jitter = 0}, .timeout = std::chrono::milliseconds{100}}).id;
  EXPECT_EQ(await_task(client, id).output<int>(), 2);
  EXPECT_EQ(concurrent_max, 1);
}

TEST_P(Tasks, LongerThanTheirLeaseStayHeld) {
  std::atomic<int> calls = 0;
  Worker worker{client, quiet({.lease = 3s})};
  worker.task("long", [&](Task& task) {
    ++calls;
    const auto until = std::chrono::steady_clock::now() + 3500ms;
    static_cast<void>(
        eventually([&] { return std::chrono::steady_clock::now() > until || !task.heartbeat(); }));
    return task.heartbeat();
  });
  worker.start();
  EXPECT_TRUE(await_task(client, client.enqueue("long").id).output<bool>());
  EXPECT_EQ(calls, 1);
}

TEST_P(Tasks, InProgressEndBeforeTheWorkerStops) {
  std::atomic<bool> began = false;
  std::atomic<bool> may_end = false;
  Worker worker{client, quiet()};
  worker.task("long", [&] {
    began = true;
    return eventually([&] { return may_end.load(); });
  });
  worker.start();
  const std::string id = client.enqueue("long").id;
  ASSERT_TRUE(eventually([&] { return began.load(); }));
  std::thread stopping{[&] { worker.stop(); }};
  may_end = true;
  stopping.join();
  EXPECT_EQ(client.task(id).status, "completed");
}

TEST_P(Tasks, AreExecutedByOneOfSeveralWorkersInAProcess) {
  std::atomic<int> calls = 0;
  Worker first{client, quiet({.max_concurrent = 4})};
  Worker second{client, quiet({.max_concurrent = 4})};
  for (Worker* worker : {&first, &second}) worker->task("count", [&](const int&) { ++calls; });
  first.start();
  second.start();
  std::vector<int> numbers(100);
  for (const Enqueued& made : client.enqueue_batch("count", numbers)) await_task(client, made.id);
  EXPECT_EQ(calls, 100);
}

TEST_P(Tasks, MustExistToBeRead) {
  try {
    static_cast<void>(client.task("018f0000-0000-7000-8000-000000000000"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "not_found");
  }
  EXPECT_THROW(static_cast<void>(client.task("nonsense")), Error);
}

PAWL_ON_EVERY_WAY(Tasks);

TEST(Connect, RejectsAnInvalidAddress) {
  EXPECT_THROW(static_cast<void>(connect("mysql://x")), Error);
  EXPECT_THROW(static_cast<void>(connect("http://")), Error);
  EXPECT_THROW(static_cast<void>(connect("memory:", {.ns = "not a name"})), Error);
}

TEST(WorkerHandlers, RejectTypePrefixes) {
  const Client client = connect("memory:");
  Worker worker{client, quiet()};
  EXPECT_THROW(worker.task("report.*", [] {}), Error);
  EXPECT_THROW(worker.workflow("order*", [](Workflow&) {}), Error);
}

TEST(WorkerHandlers, AreRequiredAndUnique) {
  const Client client = connect("memory:");
  Worker worker{client, quiet()};
  EXPECT_THROW(worker.start(), Error);
  worker.task("a", [] {});
  EXPECT_THROW(worker.task("a", [] {}), Error);
  EXPECT_THROW((Worker{client, {.max_concurrent = 0}}), Error);
}

TEST(Decoding, NamesTheInvalidField) {
  const auto fault_of = [](const char* text) -> std::string {
    try {
      static_cast<void>(pawl::detail::decode<std::vector<Email>>(text));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(fault_of(R"([{"to":"a","copies":1}])"), "");
  EXPECT_EQ(fault_of(R"([{"to":"a","copies":1},{"to":"b","copies":"x"}])"),
            "/1/copies: type must be number, but is string");
  EXPECT_EQ(fault_of(R"([{"to":"a","copies":1},{"to":"b"}])"), "/1/copies: key 'copies' not found");
  EXPECT_EQ(fault_of(R"({"to":"a"})"), "type must be array, but is object");
}

}  // namespace
}  // namespace pawl::testing
