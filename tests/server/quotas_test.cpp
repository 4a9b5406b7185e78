// Limits on one caller's use of a server: streams, waiting calls, requests per second, and connections.
#include <boost/asio/ip/address.hpp>
#include <gtest/gtest.h>

#include "server/peer_network.hpp"
#include "tests/runtime/fixture.hpp"
#include "tests/server/auth_fixture.hpp"

namespace pawl::testing {
namespace {

using server::Places;
using server::RequestRates;
using std::chrono::milliseconds;

Places::Names names() { return {.what = "event streams", .setting = "limits.streams"}; }

TEST(PlacesOfCallers, AreLimitedPerTokenPerNamespaceAndInTotal) {
  Places places{names(), {.all = 4, .of_one_namespace = 3, .of_one_token = 2}};
  std::vector<std::shared_ptr<Places::Place>> taken;
  const auto take = [&](const std::string& ns, const std::string& token) -> std::string {
    auto place = places.take(ns, token);
    if (!place) return place.problem().detail;
    taken.push_back(std::move(*place));
    return "";
  };
  EXPECT_EQ(take("mallory", "t1"), "");
  EXPECT_EQ(take("mallory", "t1"), "");
  EXPECT_EQ(take("mallory", "t1"),
            "limits.streams_per_token: token t1 has 2 event streams already, which is the most");
  EXPECT_EQ(take("alice", "t1"),
            "limits.streams_per_token: token t1 has 2 event streams already, which is the most");
  EXPECT_EQ(take("mallory", "t2"), "");
  EXPECT_EQ(take("mallory", "t2"),
            "limits.streams_per_namespace: namespace mallory has 3 event streams already, which is the most");
  EXPECT_EQ(take("alice", "t3"), "");
  EXPECT_EQ(take("bob", "t4"), "limits.streams: there are 4 event streams already, which is the most");
  taken.front()->release();
  taken.front()->release();  // a second release has no effect
  EXPECT_EQ(take("bob", "t4"), "");
  EXPECT_EQ(take("bob", "t5"), "limits.streams: there are 4 event streams already, which is the most");
  taken.clear();
  EXPECT_EQ(take("mallory", "t1"), "");
}

TEST(PlacesOfCallers, WithoutATokenHaveOnlyTheNamespaceLimit) {
  Places places{names(), {.all = 4, .of_one_namespace = 3, .of_one_token = 1}};
  const auto first = places.take("alice", "");
  const auto second = places.take("alice", "");
  EXPECT_TRUE(first.ok() && second.ok());
}

TEST(PlacesOfCallers, MayOutliveTheirOwner) {
  std::shared_ptr<Places::Place> place;
  {
    Places places{names(), {.all = 1, .of_one_namespace = 1, .of_one_token = 1}};
    place = *places.take("alice", "t");
  }
  place->release();
}

TEST(PeerNetwork, IsAnIpv4AddressOrAnIpv6Prefix) {
  const auto network = [](const char* address) {
    return server::peer_network(boost::asio::ip::make_address(address));
  };
  EXPECT_EQ(network("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(network("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(network("2001:db8:1:2:ffff::1"), "2001:db8:1:2::/64");
  EXPECT_NE(network("2001:db8:1:3::1"), network("2001:db8:1:2::1"));
  EXPECT_EQ(network("::1"), "::1");
}

TEST(RequestRatesOfCallers, AllowABurstOfOneSecondAndThenTheRate) {
  ManualClock clock;
  RequestRates rates{clock, {.of_one_namespace = 100, .of_one_token = 4}};
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(rates.take("alice", "t1").ok()) << i;
  const core::Status refused = rates.take("alice", "t1");
  EXPECT_EQ(refused.problem().code, core::ProblemCode::resource_exhausted);
  EXPECT_EQ(refused.problem().detail,
            "limits.requests_per_token: token t1 made more than 4 requests in a second");
  EXPECT_TRUE(rates.take("alice", "t2").ok());
  clock.advance(milliseconds{250});
  EXPECT_TRUE(rates.take("alice", "t1").ok());
  EXPECT_FALSE(rates.take("alice", "t1").ok());
  clock.advance(std::chrono::hours{1});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(rates.take("alice", "t1").ok()) << i;
  EXPECT_FALSE(rates.take("alice", "t1").ok());
}

TEST(RequestRatesOfCallers, CountAllTokensOfANamespaceTogether) {
  ManualClock clock;
  RequestRates rates{clock, {.of_one_namespace = 2}};
  EXPECT_TRUE(rates.take("alice", "t1").ok());
  EXPECT_TRUE(rates.take("alice", "t2").ok());
  EXPECT_EQ(rates.take("alice", "t3").problem().detail,
            "limits.requests_per_namespace: namespace alice made more than 2 requests in a second");
  EXPECT_TRUE(rates.take("bob", "t3").ok());
  EXPECT_TRUE(rates.take("", "t3").ok()) << "what is in no namespace";
}

TEST(RequestRatesOfCallers, KeepALimitedNumberOfNames) {
  ManualClock clock;
  RequestRates rates{clock, {.of_one_namespace = 1}};
  for (std::size_t i = 0; i < RequestRates::kBucketsMax; ++i)
    EXPECT_TRUE(rates.take("ns" + std::to_string(i), "").ok()) << i;
  EXPECT_FALSE(rates.take("one-more", "").ok());
  EXPECT_EQ(rates.buckets(), RequestRates::kBucketsMax);
  clock.advance(std::chrono::seconds{1});
  EXPECT_TRUE(rates.take("one-more", "").ok());
  EXPECT_EQ(rates.buckets(), 1U);
}

class Quotas : public Auth {
 protected:
  explicit Quotas(const server::HttpOptions& options = {}, const HttpFront::Quotas& quotas = few())
      : Auth(options, quotas) {}
  static HttpFront::Quotas few() {
    return {.streams = {.all = 10, .of_one_namespace = 4, .of_one_token = 2},
            .waits = {.all = 10, .of_one_namespace = 4, .of_one_token = 2}};
  }
  [[nodiscard]] static std::string with(const std::string& token) {
    return "Authorization: Bearer " + token + "\r\n";
  }
  static void expect_refused(const std::string& answer, std::string_view setting) {
    EXPECT_EQ(status_of(answer), 429) << answer;
    EXPECT_EQ(field_of(answer, "Retry-After"), "1");
    EXPECT_NE(answer.find(setting), std::string::npos) << answer;
  }

  const std::string admin = token_in(make("admin", "*", ""));
  const std::string mallory = token_in(make("operator", "mallory", admin));
  const std::string alice = token_in(make("operator", "alice", admin));
};

TEST_F(Quotas, LeaveStreamsForOtherTokens) {
  const auto following = [](const std::string& ns, const std::string& token) {
    return get("/v1/" + ns + "/queues", "Accept: text/event-stream\r\n" + with(token));
  };
  std::vector<std::unique_ptr<RawClient>> followers;
  for (int i = 0; i < 2; ++i) {
    followers.push_back(std::make_unique<RawClient>(front.port()));
    followers.back()->send(following("mallory", mallory));
    ASSERT_EQ(status_of(followers.back()->receive_until("data: ")), 200) << i;
  }
  RawClient one_more{front.port()};
  one_more.send(following("mallory", mallory));
  expect_refused(one_more.receive(), "limits.streams_per_token: token ");
  RawClient other{front.port()};
  other.send(following("alice", alice));
  EXPECT_EQ(status_of(other.receive_until("data: ")), 200);
}

TEST_F(Quotas, LeaveWaitingClaimsForOtherTokens) {
  const auto claiming = [](const std::string& ns, const std::string& token, const std::string& wait = "60s") {
    return post("/v1/" + ns + "/tasks/claim", R"({"worker_id":"w","wait":")" + wait + R"("})", with(token));
  };
  std::vector<std::unique_ptr<RawClient>> claimers;
  for (std::size_t i = 1; i <= 2; ++i) {
    claimers.push_back(std::make_unique<RawClient>(front.port()));
    claimers.back()->send(claiming("mallory", mallory));
    while (runtime.engine().waiters().size() < i) std::this_thread::yield();
  }
  RawClient one_more{front.port()};
  one_more.send(claiming("mallory", mallory));
  expect_refused(one_more.receive(), "limits.claims_waiting_per_token");
  one_more.send(claiming("mallory", mallory, "0s"));
  EXPECT_EQ(status_of(one_more.receive()), 200) << "one that does not wait takes no place";
  RawClient other{front.port()};
  other.send(claiming("alice", alice));
  while (runtime.engine().waiters().size() < 3) std::this_thread::yield();
  ASSERT_TRUE(runtime.api().enqueue("mallory", {.type = "a"}).ok());
  ASSERT_TRUE(runtime.api().enqueue("mallory", {.type = "a"}).ok());
  for (const auto& client : claimers) EXPECT_EQ(status_of(client->receive()), 200);
  one_more.send(claiming("mallory", mallory));  // slots are released before the answers are sent
  while (runtime.engine().waiters().size() < 2) std::this_thread::yield();
}

class FewRequests : public Quotas {
 protected:
  FewRequests() : Quotas({}, {.rates = {.of_one_namespace = 3}}) {}
};

TEST_F(FewRequests, OfOneNamespaceDoNotLimitOthers) {
  std::string answer;
  for (int i = 0; i < 1'000 && status_of(answer) != 429; ++i) {
    answer = send("GET", "/v1/mallory/queues", "", mallory);
  }
  expect_refused(answer, "limits.requests_per_namespace: namespace mallory");
  EXPECT_EQ(status_of(send("GET", "/v1/alice/queues", "", alice)), 200);
}

class NoWaitingCalls : public ServerTest {
 protected:
  NoWaitingCalls() : ServerTest({}, {.calls_waiting_max = 0}) {}
};

TEST_F(NoWaitingCalls, AreRejectedWithTheLimitingSetting) {
  RawClient client{front.port()};
  client.send(get("/v1/default/tasks"));
  const std::string answer = client.receive();
  EXPECT_EQ(status_of(answer), 429) << answer;
  EXPECT_NE(answer.find(R"("detail":"limits.connections: )"), std::string::npos) << answer;
}

class FewConnections : public Quotas {
 protected:
  FewConnections() : Quotas({.limits = few_connections()}) {}
  static server::HttpLimits few_connections() {
    server::HttpLimits limits;
    limits.connections_max = 5;
    return limits;
  }
  // Alternates between tokens, so that none has more than half of the connections.
  [[nodiscard]] std::string by_turns(int i) const {
    if (i == 4) return get("/v1/alice/queues", with(admin));
    return i % 2 == 0 ? get("/v1/alice/queues", with(alice)) : get("/v1/mallory/queues", with(mallory));
  }
  void await_connections(std::int64_t count) {
    while (front.metrics().connections() != count) std::this_thread::yield();
  }
};

TEST_F(FewConnections, AreNotKeptByIdleClients) {
  await_connections(0);
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 5; ++i) silent.push_back(std::make_unique<RawClient>(front.port()));
  silent[1]->send("GET /v1/");       // nor by slow requests
  silent[2]->send(get("/healthz"));  // nor by requests that need no token
  EXPECT_EQ(status_of(silent[2]->receive()), 200);
  await_connections(5);
  std::vector<std::unique_ptr<RawClient>> served;
  for (int i = 0; i < 5; ++i) {
    served.push_back(std::make_unique<RawClient>(front.port()));
    served.back()->send(by_turns(i));
    EXPECT_EQ(status_of(served.back()->receive()), 200) << i;
  }
  for (const auto& client : silent) EXPECT_TRUE(client->is_closed());
  RawClient probe{front.port()};
  probe.send(get("/healthz"));
  EXPECT_EQ(status_of(probe.receive()), 200) << "for which there is always room";
  RawClient ready{front.port()};
  ready.send(get("/readyz"));
  EXPECT_EQ(status_of(ready.receive()), 200);
  RawClient other{front.port()};
  other.send(get("/v1/alice/queues", with(alice)));
  expect_refused(other.receive(), "limits.connections: all 5 connections are in use");
  EXPECT_TRUE(served[0]->send(get("/v1/alice/queues", with(alice))));
  EXPECT_EQ(status_of(served[0]->receive()), 200) << "those who were served are not displaced";
}

class SilentConnections : public Auth {
 protected:
  SilentConnections() : Auth({.limits = short_header()}) {}
  static server::HttpLimits short_header() {
    server::HttpLimits limits;
    limits.header_timeout = milliseconds{100};
    limits.idle_timeout = std::chrono::hours{1};
    return limits;
  }
};

TEST_F(SilentConnections, AreClosedAtTheHeaderTimeout) {
  RawClient silent{front.port()};
  EXPECT_TRUE(silent.is_closed());
  RawClient idle{front.port()};
  idle.send(get("/healthz"));
  EXPECT_EQ(status_of(idle.receive()), 200);
  RawClient later{front.port()};
  EXPECT_TRUE(later.is_closed());  // but `idle`, which has sent a request, stays open
  idle.send(get("/healthz"));
  EXPECT_EQ(status_of(idle.receive()), 200);
}

TEST_F(FewConnections, AreNotKeptByTheTokenWithTheMostConnections) {
  await_connections(0);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 4; ++i) {
    idle.push_back(std::make_unique<RawClient>(front.port()));
    idle.back()->send(get("/v1/mallory/queues", with(mallory)));
    EXPECT_EQ(status_of(idle.back()->receive()), 200) << i;
  }
  RawClient kept{front.port()};
  kept.send(get("/v1/alice/queues", with(alice)));
  EXPECT_EQ(status_of(kept.receive()), 200);
  await_connections(5);
  std::vector<std::unique_ptr<RawClient>> next;
  for (int i = 0; i < 2; ++i) {
    next.push_back(std::make_unique<RawClient>(front.port()));
    next.back()->send(get("/v1/alice/queues", with(alice)));
    EXPECT_EQ(status_of(next.back()->receive()), 200) << i;
    EXPECT_TRUE(idle[static_cast<std::size_t>(i)]->is_closed()) << i;
  }
  kept.send(get("/v1/alice/queues", with(alice)));
  EXPECT_EQ(status_of(kept.receive()), 200) << "the other token keeps its own";
}

TEST_F(FewConnections, AreLoggedInSummaryWhenRejected) {
  await_connections(0);
  std::vector<std::unique_ptr<RawClient>> served;
  for (int i = 0; i < 5; ++i) {
    served.push_back(std::make_unique<RawClient>(front.port()));
    served.back()->send(by_turns(i));
    EXPECT_EQ(status_of(served.back()->receive()), 200) << i;
  }
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    RawClient refused{front.port()};
    refused.send(get("/v1/alice/queues", with(alice)));
    EXPECT_EQ(status_of(refused.receive()), 429) << i;
  }
  const std::string lines = ::testing::internal::GetCapturedStderr();
  const auto first = lines.find("connections are refused or displaced");
  ASSERT_NE(first, std::string::npos) << lines;
  EXPECT_EQ(lines.find("connections are refused or displaced", first + 1), std::string::npos) << lines;
  EXPECT_NE(lines.find("limits.connections: all 5 connections are in use"), std::string::npos) << lines;
}

}  // namespace
}  // namespace pawl::testing
