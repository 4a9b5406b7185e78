// Server-sent events: the format, the bounds, and the number of polls.
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "server/event_stream.hpp"
#include "server/queue_watch.hpp"
#include "store/faulty.hpp"
#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

using server::event_text;
using server::EventStream;
using server::EventStreams;

TEST(EventText, HasTheFieldsOfTheFormat) {
  EXPECT_EQ(event_text({.id = "7", .type = "task", .data = "{}"}), "id: 7\nevent: task\ndata: {}\n\n");
  EXPECT_EQ(event_text({.data = "{\n\"a\":1,\r\"b\":2}"}), "data: {\ndata: \"a\":1,\ndata: \"b\":2}\n\n")
      << "a line break in the data would end the field";
}

TEST(EventStreamOfACall, IsCutOffBetweenEventsWhenItsBufferIsFull) {
  const std::string one = event_text({.data = "0123456789"});
  EventStream stream{2 * one.size(), nullptr};
  EXPECT_TRUE(stream.send({.data = "0123456789"}));
  EXPECT_TRUE(stream.send({.data = "0123456789"}));
  EXPECT_FALSE(stream.send({.data = "0123456789"}));
  const auto taken = stream.take();
  EXPECT_EQ(taken.bytes, one + one);
  EXPECT_TRUE(taken.is_last);
}

TEST(EventStreamOfACall, HasRoomForOneEventOfAnySize) {
  EventStream stream{10, nullptr};
  const server::Event large{.data = std::string(100, 'x')};
  EXPECT_TRUE(stream.has_room(large));
  EXPECT_TRUE(stream.send(large)) << "else whoever resumes would never get past it";
  EXPECT_FALSE(stream.has_room({.data = "y"}));
  (void)stream.take();
  EXPECT_TRUE(stream.has_room({.data = "y"}));
}

TEST(EventStreamOfACall, WakesItsReaderOnceForAllWaitingEvents) {
  EventStream stream{1'000, nullptr};
  int woken = 0;
  stream.attach([&] { ++woken; });
  stream.send({.data = "a"});
  stream.send({.data = "b"});
  EXPECT_EQ(woken, 1);
  (void)stream.take();
  stream.send({.data = "c"});
  EXPECT_EQ(woken, 2);
  stream.close();
  EXPECT_FALSE(stream.send({.data = "d"}));
}

TEST(EventStreamsOfAServer, AreLimited) {
  EventStreams streams{{.all = 2, .of_one_namespace = 2, .of_one_token = 2}};
  const server::Request request{.ns = "default"};
  const auto first = streams.open(request);
  const auto second = streams.open(request);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(streams.open(request).problem().code, core::ProblemCode::resource_exhausted);
  (*first)->close();
  EXPECT_TRUE(streams.open(request).ok()) << "a place is freed by its reader, not by its writer";
}

// The test controls the watch's time: deferred work waits in a list.
class Watch : public ServerTest {
 protected:
  std::shared_ptr<EventStream> follow(const std::string& ns = "default") {
    auto stream = *streams.open({.ns = ns});
    const auto found = wire::match(wire::Method::get, "/v1/" + ns + "/queues");
    EXPECT_TRUE(watch.follow({.route = found->route, .ns = ns, .is_local = true}, stream).ok());
    return stream;
  }
  void pass_a_second() {
    for (const auto& work : std::exchange(later, {})) work();
  }
  static std::size_t events_in(EventStream& stream) {
    const std::string bytes = stream.take().bytes;
    std::size_t count = 0;
    for (auto at = bytes.find("event: queues\n"); at != std::string::npos;
         at = bytes.find("event: queues\n", at + 1))
      ++count;
    return count;
  }

  std::vector<std::function<void()>> later;
  EventStreams streams;
  server::Auth auth{runtime.api(), clock, {}};
  server::QueueWatch watch{
      runtime.api(), auth,
      server::Blocking{[](const server::WorkOwner&, const std::function<void()>& work) { work(); },
                       [](const std::string&) { return std::size_t{0}; }},
      [this](core::Duration, std::function<void()> work) { later.push_back(std::move(work)); }};
};

TEST_F(Watch, SendsTheStateImmediatelyAndThenOnlyChanges) {
  const auto stream = follow();
  EXPECT_EQ(events_in(*stream), 1U);
  pass_a_second();
  EXPECT_EQ(events_in(*stream), 0U);
  ASSERT_TRUE(runtime.api().enqueue("default", {.type = "a"}).ok());
  pass_a_second();
  EXPECT_EQ(events_in(*stream), 1U);
  pass_a_second();
  EXPECT_EQ(events_in(*stream), 0U) << "that a task gets older is no change";
}

TEST_F(Watch, PollsOnceForAllFollowersOfANamespace) {
  const auto first = follow();
  const auto second = follow();
  const auto third = follow();
  EXPECT_EQ(later.size(), 1U);
  const auto elsewhere = follow("other");
  EXPECT_EQ(later.size(), 2U);
  ASSERT_TRUE(runtime.api().enqueue("default", {.type = "a"}).ok());
  pass_a_second();
  for (const auto& stream : {first, second, third}) EXPECT_EQ(events_in(*stream), 2U);
  EXPECT_EQ(events_in(*elsewhere), 1U);
  EXPECT_EQ(later.size(), 2U);
}

TEST_F(Watch, EndsWithItsLastFollower) {
  const auto stream = follow();
  stream->close();
  pass_a_second();
  EXPECT_TRUE(later.empty());
  EXPECT_EQ(events_in(*follow()), 1U) << "and begins again";
}

TEST_F(Watch, SendsNothingAfterTheFollowerLosesAccess) {
  const auto stream = follow();
  EXPECT_EQ(events_in(*stream), 1U);
  RawClient client{front.port()};
  client.send(post("/v1/admin/tokens", R"({"role":"admin","namespaces":["*"]})"));
  ASSERT_EQ(status_of(client.receive()), 201);  // from now on the server requires tokens
  auth.forget();
  pass_a_second();
  EXPECT_TRUE(stream->is_over());
}

// Calls a function before each read of the store by the thread of the test.
class ReadHook final : public store::FaultPlan {
 public:
  void before(store::Verb verb) override {
    if (verb == store::Verb::read && std::this_thread::get_id() == test_thread_ && on_read) on_read();
  }
  std::function<void()> on_read;

 private:
  const std::thread::id test_thread_ = std::this_thread::get_id();
};

class WatchOfASlowStore : public Watch {
 protected:
  ReadHook hook;
  std::unique_ptr<store::Store> slow = store::make_faulty_store(store::make_memory_store(clock), hook);
  runtime::Runtime node{*slow, clock, random};
  server::Auth slow_auth{node.api(), clock, {}};
  server::QueueWatch slow_watch{
      runtime.api(), slow_auth,
      server::Blocking{[](const server::WorkOwner&, const std::function<void()>& work) { work(); },
                       [](const std::string&) { return std::size_t{0}; }},
      [this](core::Duration, std::function<void()> work) { later.push_back(std::move(work)); }};
};

TEST_F(WatchOfASlowStore, AcceptsFollowersWhileItChecksOtherTokens) {
  const auto follow_slow = [this](const std::string& ns) {
    const auto found = wire::match(wire::Method::get, "/v1/" + ns + "/queues");
    return slow_watch.follow({.route = found->route, .ns = ns, .is_local = true}, *streams.open({.ns = ns}));
  };
  ASSERT_TRUE(follow_slow("default").ok());
  ASSERT_TRUE(follow_slow("other").ok());
  std::vector<std::future<bool>> others;
  bool is_blocked = false;
  hook.on_read = [&] {
    others.push_back(std::async(std::launch::async, [&] { return follow_slow("other").ok(); }));
    is_blocked |= others.back().wait_for(std::chrono::seconds{5}) != std::future_status::ready;
  };
  pass_a_second();
  EXPECT_FALSE(others.empty()) << "no token was read";
  EXPECT_FALSE(is_blocked);
  for (auto& other : others) EXPECT_TRUE(other.get());
}

class Events : public ServerTest {
 protected:
  Events() : ServerTest({.limits = limits()}) {}
  static server::HttpLimits limits() {
    server::HttpLimits limits;
    limits.heartbeat = std::chrono::milliseconds{50};
    return limits;
  }
  static std::string following() { return get("/v1/default/queues", "Accept: text/event-stream\r\n"); }
};

TEST_F(Events, AreSentWhenTheQueuesChange) {
  RawClient client{front.port()};
  client.send(following());
  EXPECT_EQ(status_of(client.receive_until("\n\n")), 200);
  EXPECT_NE(client.receive_until("data: ").find("Content-Type: text/event-stream\r\n"), std::string::npos);
  ASSERT_TRUE(runtime.api().enqueue("default", {.type = "a"}).ok());
  const std::string& all = client.receive_until(R"("pending":1)");
  EXPECT_NE(all.find(R"("pending":1)"), std::string::npos) << all;
  EXPECT_NE(all.find("event: queues\ndata: {\"items\":["), std::string::npos) << all;
}

TEST_F(Events, AreCommentsWithoutChanges) {
  RawClient client{front.port()};
  client.send(following());
  EXPECT_NE(client.receive_until(":\n\n:\n\n").find(":\n\n:\n\n"), std::string::npos);
}

TEST_F(Events, EndWithTheServer) {
  RawClient client{front.port()};
  client.send(following());
  ASSERT_NE(client.receive_until("data: ").find("data: "), std::string::npos);
  front.http().stop_accepting();
  EXPECT_NE(client.receive_all().find("event: queues"), std::string::npos);
}

TEST_F(Events, HaveALimitedNumberOfFollowers) {
  std::vector<std::unique_ptr<RawClient>> followers;
  for (int i = 0; i < EventStreams::kCaps.of_one_namespace; ++i) {
    followers.push_back(std::make_unique<RawClient>(front.port()));
    followers.back()->send(following());
    ASSERT_EQ(status_of(followers.back()->receive_until("data: ")), 200) << i;
  }
  RawClient one_more{front.port()};
  one_more.send(following());
  const std::string refused = one_more.receive();
  EXPECT_EQ(status_of(refused), 429);
  EXPECT_NE(refused.find("Retry-After: "), std::string::npos);
  followers.pop_back();
  int status = 429;
  while (status == 429) {  // until the server has noticed the closed connection
    RawClient again{front.port()};
    again.send(following());
    status = status_of(again.receive_until("\r\n\r\n"));
  }
  EXPECT_EQ(status, 200);
}

TEST_F(Events, NeedTheSameTokenAsTheCall) {
  RawClient client{front.port()};
  client.send(post("/v1/admin/tokens", R"({"role":"admin","namespaces":["*"]})"));
  ASSERT_EQ(status_of(client.receive()), 201);
  client.send(following());
  EXPECT_EQ(status_of(client.receive()), 401);
}

}  // namespace
}  // namespace pawl::testing
