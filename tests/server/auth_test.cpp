// Authorization, beyond the matrix of routes and callers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/server/auth_fixture.hpp"

namespace pawl::testing {
namespace {

TEST_F(Auth, LetsLocalCallersDoEverythingUntilTheFirstToken) {
  EXPECT_EQ(status_of(send("GET", "/v1/default/tasks", "", "")), 200);
  EXPECT_EQ(status_of(make("admin", "*", "")), 201);
  EXPECT_EQ(status_of(send("GET", "/v1/default/tasks", "", "")), 401);
  EXPECT_EQ(status_of(send("GET", "/healthz", "", "")), 200);
}

TEST_F(Auth, ServesRemoteCallersOnlyIfConfiguredAndUntilTheFirstToken) {
  server::Auth careful{runtime.api(), clock, {}};
  server::Auth insecure{runtime.api(), clock, {.serves_anyone = true}};
  const auto found = wire::match(wire::Method::get, "/v1/default/tasks");
  const server::Request request{.route = found->route, .ns = "default", .is_local = false};
  EXPECT_EQ(careful.allow(request).problem().code, core::ProblemCode::unauthorized);
  EXPECT_TRUE(insecure.allow(request).ok());
  ASSERT_EQ(status_of(make("admin", "*", "")), 201);
  insecure.forget();
  EXPECT_EQ(insecure.allow(request).problem().code, core::ProblemCode::unauthorized);
}

TEST_F(Auth, RequiresATokenBeforeTheFirstOneIfConfigured) {
  server::Auth strict{runtime.api(), clock, {.serves_anyone = true, .requires_token = true}};
  const auto found = wire::match(wire::Method::get, "/v1/default/tasks");
  const server::Request request{.route = found->route, .ns = "default", .is_local = true};
  EXPECT_EQ(strict.allow(request).problem().code, core::ProblemCode::unauthorized);
}

TEST_F(Auth, RejectsForwardedRequestsBeforeTheFirstToken) {
  const std::string forwarded[] = {"Forwarded: for=192.0.2.1\r\n", "X-Forwarded-For: 192.0.2.1\r\n",
                                   "x-forwarded-proto: https\r\n", "Via: 1.1 proxy\r\n",
                                   "X-Real-IP: 192.0.2.1\r\n"};
  for (const std::string& field : forwarded) {
    const std::string answer =
        send("POST", "/v1/admin/tokens", R"({"role":"admin","namespaces":["*"]})", "", field);
    EXPECT_EQ(status_of(answer), 403) << field << answer;
    EXPECT_NE(answer.find("pawl token create"), std::string::npos) << answer;
    EXPECT_EQ(status_of(send("GET", "/healthz", "", "", field)), 200) << field;
  }
  EXPECT_EQ(status_of(send("GET", "/v1/default/tasks", "", "", "X-Forward: 1\r\n")), 200);
  const std::string token = token_in(make("admin", "*", ""));
  for (const std::string& field : forwarded)
    EXPECT_EQ(status_of(send("GET", "/v1/default/tasks", "", token, field)), 200) << field;
}

TEST_F(Auth, TrustsNoForgeableHostNameBeforeTheFirstToken) {
  server::Auth insecure{runtime.api(), clock, {.serves_anyone = true}};
  const auto found = wire::match(wire::Method::get, "/v1/default/tasks");
  server::Request request{.route = found->route, .ns = "default", .is_local = true};
  EXPECT_TRUE(insecure.allow(request).ok());
  request.provenance = server::Provenance::other_name;
  const auto refused = insecure.allow(request);
  EXPECT_EQ(refused.problem().code, core::ProblemCode::forbidden);
  EXPECT_NE(refused.problem().detail.find("server.hosts"), std::string::npos) << refused.problem().detail;
}

TEST_F(Auth, ReadsTheSchemeInAnyCase) {
  const std::string token = token_in(make("admin", "*", ""));
  const auto status_with = [&](const std::string& scheme) {
    return status_of(send("GET", "/v1/default/tasks", "", "", "Authorization: " + scheme + token + "\r\n"));
  };
  for (const auto* scheme : {"Bearer ", "bearer ", "BEARER ", "bEaReR "})
    EXPECT_EQ(status_with(scheme), 200) << scheme;
  for (const auto* scheme : {"", "Bearer", "Basic ", "Bearers ", "Token "})
    EXPECT_EQ(status_with(scheme), 401) << scheme;
}

TEST_F(Auth, AcceptsSeveralSpacesBeforeTheToken) {  // RFC 9110: credentials = auth-scheme 1*SP token68
  const std::string token = token_in(make("admin", "*", ""));
  const auto status_with = [&](const std::string& value) {
    return status_of(send("GET", "/v1/default/tasks", "", "", "Authorization: " + value + "\r\n"));
  };
  EXPECT_EQ(status_with("Bearer  " + token), 200);
  EXPECT_EQ(status_with("Bearer     " + token), 200);
  EXPECT_EQ(status_with("Bearer \t" + token), 401);
  EXPECT_EQ(status_with("Bearer  " + token + " x"), 401);
  EXPECT_EQ(status_with("Bearer   "), 401);
}

TEST_F(Auth, RejectsAnEmptyAuthorizationField) {
  const auto status_with = [&](const std::string& field) {
    return status_of(send("GET", "/v1/default/tasks", "", "", field + "\r\n"));
  };
  for (const auto* field : {"Authorization:", "Authorization:  "})
    EXPECT_EQ(status_with(field), 400) << field;
  EXPECT_EQ(status_with("Accept: */*"), 200);
  (void)make("admin", "*", "");
  EXPECT_EQ(status_with("Authorization:"), 400);
}

class AuthQueues : public Auth {
 protected:
  AuthQueues() {
    admin = token_in(make("admin", "*", ""));
    worker = token_in(send("POST", "/v1/admin/tokens",
                           R"({"role":"worker","namespaces":["default"],"queues":["mine"]})", admin));
  }
  [[nodiscard]] std::string post_as(const std::string& token, const std::string& path,
                                    const std::string& body) const {
    return send("POST", "/v1/default/tasks" + path, body, token);
  }
  void expect_forbidden(const std::string& answer, const std::string& queue) const {
    EXPECT_EQ(status_of(answer), 403) << answer;
    EXPECT_NE(answer.find("the token is not for the queue " + queue), std::string::npos) << answer;
    const std::string audit = send("GET", "/v1/admin/audit?limit=1", "", admin);
    EXPECT_NE(audit.find(R"("action":"denied")"), std::string::npos) << audit;
    EXPECT_NE(audit.find(R"("outcome":"forbidden")"), std::string::npos) << audit;
  }
  std::string admin;
  std::string worker;
};

TEST_F(AuthQueues, LimitWhereAWorkerEnqueues) {
  EXPECT_EQ(status_of(post_as(worker, "", R"({"type":"t","queue":"mine"})")), 201);
  expect_forbidden(post_as(worker, "", R"({"type":"t","queue":"other"})"), "other");
  expect_forbidden(post_as(worker, "", R"({"type":"t"})"), "default");
  expect_forbidden(post_as(worker, "/batch", R"({"tasks":[{"type":"t","queue":"mine"},{"type":"t"}]})"),
                   "default");
  ASSERT_EQ(status_of(send("PUT", "/v1/default/types/typed", R"({"queue":"mine"})", admin)), 200);
  EXPECT_EQ(status_of(post_as(worker, "", R"({"type":"typed"})")), 201) << "where its type sends it counts";
  EXPECT_EQ(runtime.api().list_tasks({})->items.size(), 2U);
}

TEST_F(AuthQueues, LimitWhereAWorkerClaims) {
  expect_forbidden(post_as(worker, "/claim", R"({"worker_id":"w"})"), "default");
  expect_forbidden(post_as(worker, "/claim", R"({"worker_id":"w","queues":["mine","other"]})"), "other");
  EXPECT_EQ(status_of(post_as(worker, "/claim", R"({"worker_id":"w","queues":["mine"]})")), 200);
}

TEST_F(AuthQueues, LimitWhichTasksAWorkerReportsOn) {
  ASSERT_EQ(status_of(post_as(admin, "", R"({"type":"t","queue":"other"})")), 201);
  ASSERT_EQ(status_of(post_as(worker, "", R"({"type":"t","queue":"mine"})")), 201);
  const auto claimed = runtime.api().claim({.worker_id = "w", .queues = {"other", "mine"}});
  const std::string other = to_string(claimed->at(0).task.id);
  const std::string mine = to_string(claimed->at(1).task.id);
  expect_forbidden(post_as(worker, "/" + other + "/complete", R"({"worker_id":"w","fence":1})"), "other");
  const auto report = [](const std::string& id) {
    return R"({"task_id":")" + id + R"(","fence":1,"action":"complete"})";
  };
  const std::string many = post_as(
      worker, "/report", R"({"worker_id":"w","reports":[)" + report(other) + "," + report(mine) + "]}");
  EXPECT_EQ(status_of(many), 200) << many;
  EXPECT_NE(many.find(R"("code":"forbidden")"), std::string::npos) << many;
  EXPECT_EQ(runtime.api().get_task("default", claimed->at(0).task.id)->task.status,
            core::TaskStatus::claimed);
  EXPECT_EQ(runtime.api().get_task("default", claimed->at(1).task.id)->task.status,
            core::TaskStatus::completed);
}

TEST_F(Auth, AuditsTheDeniedToken) {
  const std::string admin = token_in(make("admin", "*", ""));
  const std::string made = make("viewer", "default", admin);
  EXPECT_EQ(status_of(send("POST", "/v1/default/tasks", R"({"type":"t"})", token_in(made))), 403);
  const std::string audit = send("GET", "/v1/admin/audit?limit=1", "", admin);
  EXPECT_NE(audit.find(R"("actor":")" + id_in(made) + R"(","role":"viewer","action":"denied")"),
            std::string::npos)
      << audit;
}

TEST_F(Auth, AuditsTheBatchesOfAToken) {
  const std::string admin = token_in(make("admin", "*", ""));
  const std::string made = make("operator", "default", admin);
  const std::string batch = R"({"tasks":[{"type":"t"},{"type":"t"}]})";
  ASSERT_EQ(status_of(send("POST", "/v1/default/tasks/batch", batch, token_in(made))), 200);
  const std::string audit = send("GET", "/v1/admin/audit?limit=1", "", admin);
  EXPECT_NE(audit.find(R"("actor":")" + id_in(made) + R"(","role":"operator","action":"task.enqueue")"),
            std::string::npos)
      << audit;
}

TEST_F(Auth, AuditsTheDeniedCall) {
  const std::string admin = token_in(make("admin", "*", ""));
  EXPECT_EQ(status_of(send("GET", "/v1/default/queues", "", "")), 401);
  const std::string audit = send("GET", "/v1/admin/audit", "", admin);
  EXPECT_NE(audit.find(R"("action":"denied","object":"GET /v1/{ns}/queues")"), std::string::npos) << audit;
  EXPECT_NE(audit.find(R"("action":"token.create")"), std::string::npos) << audit;
  EXPECT_EQ(audit.find(admin), std::string::npos);
}

// RELIABILITY S14: the server reads a body only from authorized callers.
TEST_F(Auth, RejectsBeforeReadingTheBodyAndCloses) {
  ASSERT_EQ(status_of(make("admin", "*", "")), 201);
  for (const auto* framing : {"Content-Length: 4000000", "Transfer-Encoding: chunked"}) {
    RawClient client{front.port()};
    client.send(fmt::format("POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\n{}\r\n\r\n", framing));
    const std::string answer = client.receive();  // no byte of the body was sent
    EXPECT_EQ(status_of(answer), 401) << framing;
    EXPECT_NE(answer.find("Connection: close"), std::string::npos) << answer;
    EXPECT_TRUE(client.is_closed()) << framing;
  }
}

TEST_F(Auth, RejectsWithout100Continue) {
  ASSERT_EQ(status_of(make("admin", "*", "")), 201);
  RawClient client{front.port()};
  client.send(
      "POST /v1/default/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(status_of(client.receive()), 401) << "and not 100";
}

TEST_F(Auth, KeepsTheConnectionAfterRejectingACompleteRequest) {
  ASSERT_EQ(status_of(make("admin", "*", "")), 201);
  RawClient client{front.port()};
  client.send(post("/v1/default/tasks", R"({"type":"a"})"));
  EXPECT_EQ(status_of(client.receive()), 401);
  client.send(get("/healthz"));
  EXPECT_EQ(status_of(client.receive()), 200);
}

TEST_F(Auth, RejectsARevokedTokenImmediatelyDespiteTheCache) {
  const std::string admin = token_in(make("admin", "*", ""));
  const std::string made = make("worker", "default", admin);
  EXPECT_EQ(status_of(send("POST", "/v1/default/tasks", R"({"type":"t"})", token_in(made))), 201);
  EXPECT_EQ(status_of(send("POST", "/v1/default/tasks", R"({"type":"t"})", token_in(made))), 201);
  ASSERT_EQ(status_of(send("DELETE", "/v1/admin/tokens/" + id_in(made), "", admin)), 200);
  EXPECT_EQ(status_of(send("POST", "/v1/default/tasks", R"({"type":"t"})", token_in(made))), 401);
}

TEST_F(Auth, NeverShowsASecretAgain) {
  const std::string admin = token_in(make("admin", "*", ""));
  const std::string list = send("GET", "/v1/admin/tokens", "", admin);
  EXPECT_EQ(status_of(list), 200);
  EXPECT_EQ(list.find(admin), std::string::npos);
  EXPECT_EQ(list.find("hash"), std::string::npos);
}

TEST_F(Auth, RejectsEveryMutatedPath) {
  ASSERT_EQ(status_of(make("admin", "*", "")), 201);
  constexpr std::uint64_t kSeed = 20'261'115;
  SeededRandom chance{kSeed};
  auto client = std::make_unique<RawClient>(front.port());
  int answered = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto all = wire::routes();
    std::string path{all[chance.next() % all.size()].path};
    const std::uint64_t changes = 1 + chance.next() % 3;
    constexpr std::string_view kLetters = "/%2eE.;?#{}aZ0_-~\\";
    for (std::uint64_t c = 0; c < changes; ++c) {
      const std::size_t at = chance.next() % path.size();
      const char letter = kLetters[chance.next() % kLetters.size()];
      if (chance.next() % 2 == 0) {
        path[at] = letter;
      } else {
        path.insert(at, 1, letter);
      }
    }
    const std::string_view open = std::string_view{path}.substr(0, path.find('?'));
    if (open == "/" || open == "/healthz" || open == "/readyz" || path.find('#') != std::string::npos)
      continue;
    client->send(get(path));
    const int status = status_of(client->receive());
    ASSERT_TRUE(status == 401 || status == 404 || status == 405 || status == 400)
        << path << " got " << status << " with seed " << kSeed;
    // A connection serves a limited number of requests, and closes after a request that is not HTTP.
    if (++answered % 900 == 0 || status == 400) client = std::make_unique<RawClient>(front.port());
  }
  EXPECT_GT(answered, 15'000);
}

}  // namespace
}  // namespace pawl::testing
