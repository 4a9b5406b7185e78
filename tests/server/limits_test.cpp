// Every limit of the server: just below it, at it, and above it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/request_parser.hpp"
#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

class Limits : public ServerTest {
 protected:
  explicit Limits(const server::HttpLimits& limits = {}) : ServerTest({.limits = limits}) {}

  struct Answered {
    int status = 0;
    bool is_closed = false;
  };
  // A refusal after which the rest of the input cannot be trusted closes the connection. A second request
  // tells whether it did.
  [[nodiscard]] Answered ask(const std::string& request) const {
    RawClient client{front.port()};
    client.send(request);
    const int status = status_of(client.receive());
    client.send(get("/healthz"));
    return {.status = status, .is_closed = status_of(client.receive()) != 200};
  }
  void expect_served(const std::string& request, int status = 200) const {
    const auto answered = ask(request);
    EXPECT_EQ(answered.status, status);
    EXPECT_FALSE(answered.is_closed);
  }
  void expect_refused_and_closed(const std::string& request, int status) const {
    const auto answered = ask(request);
    EXPECT_EQ(answered.status, status);
    EXPECT_TRUE(answered.is_closed);
  }
};

// The line's size excludes its line end.
TEST_F(Limits, BoundARequestLine) {
  const auto with_size = [](std::size_t size) {
    const std::size_t rest = size - std::string_view{"GET /healthz? HTTP/1.1"}.size();
    return get("/healthz?" + std::string(rest, 'a'));
  };
  ASSERT_EQ(with_size(8192).find("\r\n"), 8192U);
  expect_served(with_size(8191));
  expect_served(with_size(8192));
  expect_refused_and_closed(with_size(8193), 414);
  expect_refused_and_closed(with_size(100'000), 414);
}

TEST_F(Limits, BoundAHeaderField) {
  const auto with_size = [](std::size_t size) {
    return get("/healthz", "X-A: " + std::string(size - 5, 'a') + "\r\n");
  };
  expect_served(with_size(8191));
  expect_served(with_size(8192));
  expect_refused_and_closed(with_size(8193), 431);
}

TEST_F(Limits, BoundTheNumberOfHeaderFields) {
  const auto with_fields = [](int count) {
    std::string fields;
    for (int i = 1; i < count; ++i) fields += fmt::format("X-{}: a\r\n", i);
    return get("/healthz", fields);
  };
  expect_served(with_fields(99));
  expect_served(with_fields(100));
  expect_refused_and_closed(with_fields(101), 431);
}

TEST_F(Limits, BoundTheWholeHeader) {
  const auto with_size = [](std::size_t size) {
    std::string fields;
    for (int i = 0; i < 4; ++i) fields += fmt::format("X-{}: {}\r\n", i, std::string(7000, 'a'));
    const std::size_t rest = size - get("/healthz", fields + "X-4: \r\n").size();
    return get("/healthz", fields + "X-4: " + std::string(rest, 'a') + "\r\n");
  };
  constexpr std::size_t kMax = 32U << 10U;
  ASSERT_EQ(with_size(kMax).size(), kMax);
  expect_served(with_size(kMax - 1));
  expect_served(with_size(kMax));
  expect_refused_and_closed(with_size(kMax + 1), 431);
}

// Also if the header arrives in pieces: bytes of lines that were already parsed count.
TEST_F(Limits, BoundTheWholeHeaderSentInPieces) {
  const server::HttpLimits limits;
  server::RequestParser parser{limits};
  std::string waiting = get("/healthz");
  waiting.resize(waiting.size() - 2);  // without its end
  for (int i = 0; i < 20; ++i) waiting += fmt::format("X-{}: {}\r\n", i, std::string(1'000, 'a'));
  std::size_t sent = waiting.size();
  while (!parser.refusal() && sent < 1U << 20U) {
    waiting.erase(0, parser.put(waiting));
    waiting += "X-A: a\r\n";
    sent += 8;
  }
  ASSERT_TRUE(parser.refusal());
  EXPECT_EQ(parser.refusal()->code, core::ProblemCode::header_too_large);
  EXPECT_LE(sent, limits.header_bytes_max + 16);
}

// A task that is refused because its label is too long, so that the body can have any size.
std::string task_of_size(std::size_t size) {
  const std::string start = R"({"type":"a","labels":{"a":")";
  const std::string end = "\"}}";
  return start + std::string(size - start.size() - end.size(), 'x') + end;
}

TEST_F(Limits, BoundABody) {
  constexpr std::size_t kMax = 4U << 20U;
  expect_served(post("/v1/default/tasks", task_of_size(kMax - 1)), 400);  // fully read: the label is refused
  expect_served(post("/v1/default/tasks", task_of_size(kMax)), 400);
  expect_refused_and_closed(post("/v1/default/tasks", task_of_size(kMax + 1)), 413);
}

TEST_F(Limits, BoundAChunkedBody) {
  const auto chunked = [](std::size_t size) {
    return fmt::format(
        "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
        "chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
        size, task_of_size(size));
  };
  constexpr std::size_t kMax = 4U << 20U;
  expect_served(chunked(kMax - 1), 400);
  expect_served(chunked(kMax), 400);
  expect_refused_and_closed(chunked(kMax + 1), 413);
}

// Chunk extensions are not part of the body; the limit of a header applies to them.
TEST_F(Limits, BoundChunkExtensions) {
  expect_refused_and_closed(
      "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;x=" +
          std::string(200'000, 'x'),
      431);
}

TEST_F(Limits, BoundTheBodyOfABatch) {
  const auto batch = [](std::size_t size) {
    return post("/v1/default/tasks/batch", "{\"tasks\":[" + task_of_size(size - 12) + "]}");
  };
  constexpr std::size_t kMax = 16U << 20U;
  expect_served(batch(kMax - 1), 400);
  expect_served(batch(kMax), 400);
  expect_refused_and_closed(batch(kMax + 1), 413);
}

TEST_F(Limits, BoundTheTasksOfABatch) {
  const auto batch = [](int count) {
    std::string tasks;
    for (int i = 0; i < count; ++i) tasks += (i == 0 ? "" : ",") + std::string{R"({"type":"a"})"};
    return post("/v1/default/tasks/batch", "{\"tasks\":[" + tasks + "]}");
  };
  expect_served(batch(9'999));
  expect_served(batch(10'000));
  expect_served(batch(10'001), 400);
}

TEST_F(Limits, BoundAPayload) {
  const auto with_payload = [](std::size_t size) {
    return post("/v1/default/tasks", R"({"type":"a","payload":")" + std::string(size - 2, 'x') + "\"}");
  };
  constexpr std::size_t kMax = 2U << 20U;
  expect_served(with_payload(kMax - 1), 201);
  expect_served(with_payload(kMax), 201);
  expect_served(with_payload(kMax + 1), 413);
}

// The limit is that of the value: what the request wraps around it does not count.
TEST_F(Limits, BoundTheDepthOfJson) {
  const std::string text = R"({"name":"g","tasks":[{"id":"a","activity":"t"}]})";
  ASSERT_TRUE(runtime.local().put_definition({.name = "g", .text = text}).ok());
  struct Place {
    std::string path;
    std::string before;
    std::string after = "}";
    int status = 201;
  };
  const std::vector<Place> places{
      {"/tasks", R"({"type":"a","payload":)"},
      {"/tasks/batch", R"({"tasks":[{"type":"a","payload":)", "}]}", 200},
      {"/runs", R"({"workflow":"o","input":)"},
      {"/workflows/g/start", R"({"input":)"},
      {"/schedules", R"({"name":"a","every":"1h","workflow":"g","input":)"},
      {"/schedules", R"({"name":"b","every":"1h","task":{"type":"a","payload":)", "}}"},
      {"/idempotency/k/begin", R"({"request":)"}};
  for (const Place& place : places) {
    SCOPED_TRACE(place.path);
    const auto of_depth = [&](std::size_t depth) {
      return post("/v1/default" + place.path,
                  place.before + std::string(depth, '[') + std::string(depth, ']') + place.after);
    };
    for (const std::size_t depth : {65U, 100U, 1'000'000U}) expect_served(of_depth(depth), 400);
    expect_served(of_depth(64), place.status);
  }
  const auto started = runtime.local().list_runs({});
  ASSERT_TRUE(started.ok());
  EXPECT_EQ(started->items.size(), 2U);
  for (const core::Run& run : started->items)
    expect_served(get("/v1/default/runs/" + to_string(run.facts.id)));
}

TEST_F(Limits, BoundTheWaitOfAClaim) {
  ASSERT_TRUE(runtime.api().enqueue_batch({.tasks = {{.type = "a"}, {.type = "a"}, {.type = "a"}}}).ok());
  const auto waiting = [](const std::string& wait) {
    return post("/v1/default/tasks/claim", R"({"worker_id":"w","max":1,"wait":")" + wait + "\"}");
  };
  expect_served(waiting("59s"));
  expect_served(waiting("60s"));
  expect_served(waiting("61s"), 400);
}

TEST_F(Limits, LeavePipelinedRequestsInTheSocket) {
  RawClient client{front.port()};
  std::string requests;
  for (int i = 0; i < 100; ++i) requests += get("/healthz");
  client.send(requests);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(status_of(client.receive()), 200) << i;
}

class SmallLimits : public Limits {
 protected:
  SmallLimits() : Limits(small()) {}
  static server::HttpLimits small() {
    server::HttpLimits limits;
    limits.header_timeout = milliseconds{300};
    limits.body_timeout = milliseconds{300};
    limits.idle_timeout = milliseconds{400};
    limits.write_timeout = milliseconds{300};
    limits.requests_per_connection_max = 20;
    return limits;
  }
};

TEST_F(SmallLimits, BoundTheTimeOfAHeader) {
  RawClient client{front.port()};
  client.send("GET /healthz HT");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(SmallLimits, BoundTheTimeOfABody) {
  RawClient client{front.port()};
  client.send("POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(SmallLimits, BoundTheTimeBetweenRequests) {
  RawClient client{front.port()};
  EXPECT_TRUE(client.is_closed());
}

TEST_F(SmallLimits, BoundTheRequestsOfAConnection) {
  RawClient client{front.port()};
  for (int i = 0; i < 20; ++i) {
    client.send(get("/healthz"));
    const std::string answer = client.receive();
    EXPECT_EQ(status_of(answer), 200) << i;
    EXPECT_EQ(answer.find("Connection: close") != std::string::npos, i == 19) << i;
  }
  EXPECT_TRUE(client.is_closed());
}

TEST_F(SmallLimits, BoundTheTimeOfAnUnreadResponse) {
  const auto task = runtime.api().enqueue(
      "default", {.type = "a", .payload = {"\"" + std::string(core::kPayloadBytesMax - 2, 'x') + "\""}});
  RawClient client{front.port()};
  std::string requests;  // together more than all buffers in between hold
  for (int i = 0; i < 19; ++i) requests += get("/v1/default/tasks/" + to_string(task->task.id));
  client.shrink_receive_buffer();
  client.send(requests);
  while (front.metrics().connections() > 0) std::this_thread::yield();  // closed, though nothing was read
}

class ConnectionLimits : public Limits {
 protected:
  ConnectionLimits() : Limits(few()) {}
  static server::HttpLimits few() {
    server::HttpLimits limits;
    limits.connections_max = 5;
    return limits;
  }
};

// Connections up to the limit are served, one more is refused, and closing one makes room again. Each client
// sends an authorized request: an idle connection without one could be displaced by a new one.
void expect_room_for(HttpFront& front, int most) {
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < most; ++i) {
    clients.push_back(std::make_unique<RawClient>(front.port()));
    clients.back()->send(get("/v1/default/queues"));
    EXPECT_EQ(status_of(clients.back()->receive()), 200) << i;
  }
  RawClient one_more{front.port()};
  const std::string answer = one_more.receive();  // no request was sent
  EXPECT_EQ(status_of(answer), 429);
  EXPECT_EQ(field_of(answer, "Retry-After"), "1");
  EXPECT_EQ(field_of(answer, "Connection"), "close");
  EXPECT_TRUE(one_more.is_closed());
  clients.pop_back();
  while (front.metrics().connections() == most) std::this_thread::yield();
  RawClient next{front.port()};
  next.send(get("/healthz"));
  EXPECT_EQ(status_of(next.receive()), 200);
}

TEST_F(ConnectionLimits, BoundAllConnections) { expect_room_for(front, 5); }

class AddressLimits : public Limits {
 protected:
  AddressLimits() : Limits(few()) {}
  static server::HttpLimits few() {
    server::HttpLimits limits;
    limits.connections_per_address_max = 3;
    limits.spares_loopback = false;  // tests can connect only from loopback
    return limits;
  }
};

TEST_F(AddressLimits, BoundTheConnectionsOfOneAddress) { expect_room_for(front, 3); }

class SlowBodies : public Limits {
 protected:
  SlowBodies() : Limits(slow()) {}
  static server::HttpLimits slow() {
    server::HttpLimits limits;
    limits.body_grace = milliseconds{300};
    limits.body_bytes_per_second_min = 10;
    return limits;
  }
};

TEST_F(SlowBodies, AreClosedLongBeforeTheFullTimeout) {
  RawClient client{front.port()};
  client.send("POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_TRUE(client.is_closed());  // RawClient gives up after 20 s, and the limit for the whole body is 30 s
}

TEST(TimeForABody, GrowsWithTheReceivedBytesUpToTheFullTimeout) {
  const server::HttpLimits limits;
  EXPECT_EQ(time_for_body(limits, 0), milliseconds{5'000});
  EXPECT_EQ(time_for_body(limits, 1'023), milliseconds{5'000});
  EXPECT_EQ(time_for_body(limits, 1'024), milliseconds{6'000});
  EXPECT_EQ(time_for_body(limits, 25 * 1'024), milliseconds{30'000});
  EXPECT_EQ(time_for_body(limits, 26 * 1'024), milliseconds{30'000});
}

}  // namespace
}  // namespace pawl::testing
