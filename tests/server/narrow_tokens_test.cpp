// Tokens with less than a role in all namespaces: administrators of one namespace, tokens that only enqueue
// or only claim, and the records of a token's use and rotation.
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/server/auth_fixture.hpp"

namespace pawl::testing {
namespace {

class NarrowTokens : public Auth {
 protected:
  [[nodiscard]] int status(const std::string& token, const std::string& method, const std::string& path,
                           const std::string& body = "") const {
    return status_of(send(method, path, body, token));
  }
  const std::string admin = token_in(make("admin", "*", ""));
  const std::string admin_of_a = token_in(make("admin", "a", admin));
};

// --- metrics ---

TEST_F(NarrowTokens, ReadOnlyTheMetricsOfTheirNamespaces) {
  for (const auto* ns : {"a", "b"}) {
    const std::string task = fmt::format(R"({{"type":"t","queue":"queue-of-{}"}})", ns);
    ASSERT_EQ(status(admin, "POST", fmt::format("/v1/{}/tasks", ns), task), 201);
  }
  const std::string of_a = send("GET", "/metrics", "", token_in(make("viewer", "a", admin)));
  EXPECT_NE(of_a.find("queue-of-a"), std::string::npos) << of_a;
  EXPECT_EQ(of_a.find("queue-of-b"), std::string::npos) << of_a;
  EXPECT_EQ(of_a.find("pawl_commits_total"), std::string::npos) << "what the server does for all of them";
  EXPECT_EQ(of_a.find("pawl_http_requests_total"), std::string::npos);
  const std::string of_all = send("GET", "/metrics", "", token_in(make("viewer", "*", admin)));
  for (const auto* text : {"queue-of-a", "queue-of-b", "pawl_commits_total", "pawl_http_requests_total"})
    EXPECT_NE(of_all.find(text), std::string::npos) << text;
}

// --- administrators of a namespace ---

TEST_F(NarrowTokens, OfANamespaceAdminCreateTokensOnlyForTheNamespace) {
  EXPECT_EQ(status_of(make("worker", "a", admin_of_a)), 201);
  EXPECT_EQ(status_of(make("admin", "a", admin_of_a)), 201);
  EXPECT_EQ(status_of(make("viewer", "b", admin_of_a)), 403);
  EXPECT_EQ(status_of(make("viewer", "*", admin_of_a)), 403);
  EXPECT_EQ(status(admin_of_a, "POST", "/v1/admin/tokens", R"({"role":"viewer","namespaces":["a","b"]})"),
            403);
  EXPECT_EQ(status(admin_of_a, "POST", "/v1/admin/tokens", R"({"role":"viewer","namespaces":[]})"), 400);
}

TEST_F(NarrowTokens, OfANamespaceAdminListAndRevokeOnlyItsTokens) {
  const std::string own = id_in(make("viewer", "a", admin));
  const std::string other = id_in(make("viewer", "b", admin));
  const std::string both =
      id_in(send("POST", "/v1/admin/tokens", R"({"role":"viewer","namespaces":["a","b"]})", admin));
  const std::string listed = send("GET", "/v1/admin/tokens", "", admin_of_a);
  EXPECT_NE(listed.find(own), std::string::npos) << listed;
  EXPECT_EQ(listed.find(other), std::string::npos) << listed;
  EXPECT_EQ(listed.find(both), std::string::npos) << listed;
  for (const std::string& id : {other, both}) {
    EXPECT_EQ(status(admin_of_a, "DELETE", "/v1/admin/tokens/" + id), 404);
    EXPECT_EQ(status(admin_of_a, "POST", "/v1/admin/tokens/" + id + "/rotate"), 404);
  }
  EXPECT_EQ(status(admin_of_a, "POST", "/v1/admin/tokens/" + own + "/rotate"), 200);
  EXPECT_EQ(status(admin_of_a, "DELETE", "/v1/admin/tokens/" + own), 200);
}

TEST_F(NarrowTokens, OfANamespaceAdminChangeOnlyItsSettings) {
  EXPECT_EQ(status(admin_of_a, "PUT", "/v1/admin/namespaces/a", R"({"strict_types":true})"), 200);
  EXPECT_EQ(status(admin_of_a, "GET", "/v1/admin/namespaces/a"), 200);
  EXPECT_EQ(status(admin_of_a, "PUT", "/v1/admin/namespaces/b", R"({"strict_types":true})"), 403);
  EXPECT_EQ(status(admin_of_a, "GET", "/v1/admin/namespaces/b"), 403);
  for (const auto* path : {"/v1/admin/nodes", "/v1/admin/vitals", "/v1/admin/verify"})
    EXPECT_EQ(status(admin_of_a, "GET", path), 403) << path;
  EXPECT_EQ(status(admin_of_a, "POST", "/v1/admin/sweep", R"({"check":"leases"})"), 403);
}

TEST_F(NarrowTokens, OfANamespaceAdminReadOnlyItsAudit) {
  const std::string own = id_in(make("viewer", "a", admin));
  const std::string other = id_in(make("viewer", "b", admin));
  ASSERT_EQ(status(admin, "PUT", "/v1/a/queues/queue-of-a", R"({"paused":true})"), 200);
  ASSERT_EQ(status(admin, "PUT", "/v1/b/queues/queue-of-b", R"({"paused":true})"), 200);
  const std::string audit = send("GET", "/v1/admin/audit", "", admin_of_a);
  EXPECT_NE(audit.find("queue-of-a"), std::string::npos) << audit;
  EXPECT_NE(audit.find(own), std::string::npos) << "tokens of one namespace are in its audit: " << audit;
  EXPECT_EQ(audit.find("queue-of-b"), std::string::npos) << audit;
  EXPECT_EQ(audit.find(other), std::string::npos) << audit;
  EXPECT_EQ(status(admin_of_a, "GET", "/v1/admin/audit?namespace=a"), 200);
  EXPECT_EQ(status(admin_of_a, "GET", "/v1/admin/audit?namespace=b"), 403);
}

// --- half a worker's role ---

TEST_F(NarrowTokens, OfEnqueuersReadNothing) {
  const std::string enqueuer = token_in(make("enqueuer", "a", admin));
  const std::string task = R"({"type":"t","idempotency_key":"k","payload":"secret"})";
  const std::string made = send("POST", "/v1/a/tasks", task, enqueuer);
  EXPECT_EQ(status_of(made), 201) << made;
  const std::string again = send("POST", "/v1/a/tasks", task, enqueuer);
  EXPECT_EQ(status_of(again), 200) << again;
  EXPECT_EQ(id_in(again), id_in(made));
  EXPECT_EQ(again.find("secret"), std::string::npos) << "the task may be another one's: " << again;
  EXPECT_EQ(status(enqueuer, "GET", "/v1/a/tasks/" + id_in(made)), 403);
  EXPECT_EQ(status(enqueuer, "POST", "/v1/a/tasks/claim", R"({"worker_id":"w"})"), 403);
}

TEST_F(NarrowTokens, OfEnqueuersCannotReadOtherRuns) {
  const std::string enqueuer = token_in(make("enqueuer", "a", admin));
  ASSERT_EQ(status(admin, "POST", "/v1/a/workers", R"({"worker_id":"w","workflow_types":["f"]})"), 201);
  const std::string start = R"({"run_key":"k","input":"secret"})";
  ASSERT_EQ(status(admin, "POST", "/v1/a/workflows/f/start", start), 201);
  const std::string again = send("POST", "/v1/a/workflows/f/start", start, enqueuer);
  EXPECT_EQ(status_of(again), 200) << again;
  EXPECT_EQ(again.find("secret"), std::string::npos) << again;
  EXPECT_EQ(status(enqueuer, "POST", "/v1/a/workflows/f/start", R"({"run_key":"new"})"), 201);
}

TEST_F(NarrowTokens, OfClaimersNeitherEnqueueNorList) {
  const std::string claimer = token_in(make("claimer", "a", admin));
  ASSERT_EQ(status(admin, "POST", "/v1/a/tasks", R"({"type":"t"})"), 201);
  EXPECT_EQ(status(claimer, "POST", "/v1/a/workers", R"({"worker_id":"w","queues":["default"]})"), 201);
  const std::string claimed = send("POST", "/v1/a/tasks/claim", R"({"worker_id":"w"})", claimer);
  EXPECT_EQ(status_of(claimed), 200) << claimed;
  const std::string path = "/v1/a/tasks/" + id_in(claimed) + "/complete";
  EXPECT_EQ(status(claimer, "POST", path, R"({"worker_id":"w","fence":1})"), 200);
  EXPECT_EQ(status(claimer, "POST", "/v1/a/tasks", R"({"type":"t"})"), 403);
  EXPECT_EQ(status(claimer, "GET", "/v1/a/tasks"), 403);
  EXPECT_EQ(status(claimer, "DELETE", "/v1/a/workers/w"), 200);
}

// --- use and rotation of tokens ---

TEST_F(NarrowTokens, RecordTheirLastUse) {
  const std::string made = make("viewer", "a", admin);
  const auto last_used = [&] { return runtime.api().find_token(id_in(made))->token.last_used_at; };
  EXPECT_EQ(last_used(), std::nullopt);
  EXPECT_EQ(status(token_in(made), "GET", "/v1/a/tasks"), 200);
  while (!last_used()) std::this_thread::yield();
  const auto first = last_used();
  EXPECT_EQ(status(token_in(made), "GET", "/v1/a/tasks"), 200);
  EXPECT_EQ(last_used(), first) << "not at every call";
  const std::string listed = send("GET", "/v1/admin/tokens", "", admin);
  EXPECT_NE(listed.find(fmt::format(R"("last_used_at":"{}")", core::format_time(*first))), std::string::npos)
      << listed;
}

TEST_F(NarrowTokens, AreRotatedWithAnOverlap) {
  const std::string made = make("worker", "a", admin);
  const std::string path = "/v1/admin/tokens/" + id_in(made) + "/rotate";
  const std::string rotated = send("POST", path, R"({"overlap":"1h"})", admin);
  ASSERT_EQ(status_of(rotated), 200) << rotated;
  EXPECT_EQ(id_in(rotated), id_in(made));
  EXPECT_NE(token_in(rotated), token_in(made));
  EXPECT_EQ(rotated.find("hash"), std::string::npos) << rotated;
  for (const std::string& token : {token_in(made), token_in(rotated)})
    EXPECT_EQ(status(token, "POST", "/v1/a/workers/w/heartbeat"), 404)
        << "valid, and there is no such worker";
  ASSERT_EQ(status(token_in(made), "POST", "/v1/a/workers", R"({"worker_id":"w"})"), 201);
  EXPECT_EQ(status(token_in(rotated), "POST", "/v1/a/workers/w/heartbeat"), 200) << "it is the same token";
  clock.step(std::chrono::hours{1});
  while (status(token_in(made), "GET", "/v1/a/tasks") != 401) std::this_thread::yield();
  EXPECT_EQ(status(token_in(rotated), "GET", "/v1/a/tasks"), 200);
  EXPECT_EQ(status(admin, "POST", path, R"({"overlap":"31d"})"), 400);
}

TEST_F(NarrowTokens, AreFoundInTheAuditByItsFilters) {
  const std::string made = make("worker", "a", admin);
  ASSERT_EQ(status(admin, "POST", "/v1/admin/tokens/" + id_in(made) + "/rotate"), 200);
  ASSERT_EQ(status(token_in(make("viewer", "a", admin)), "POST", "/v1/a/tasks", R"({"type":"t"})"), 403);
  const auto count = [&](const std::string& filter) {
    const std::string audit = send("GET", "/v1/admin/audit?" + filter, "", admin);
    EXPECT_EQ(status_of(audit), 200) << audit;
    std::size_t entries = 0;
    for (std::size_t at = audit.find("\"sequence\""); at != std::string::npos;
         at = audit.find("\"sequence\"", at + 1))
      ++entries;
    return entries;
  };
  EXPECT_EQ(count("action=token.rotate"), 1U);
  EXPECT_EQ(count("action=token.*&object=" + id_in(made)), 2U);
  EXPECT_EQ(count("outcome=forbidden"), 1U);
  EXPECT_EQ(count("outcome=forbidden&namespace=b"), 0U);
  EXPECT_EQ(count("actor=" + id_in(made)), 0U);
  EXPECT_EQ(count("created_after=2036-01-01T00:00:00Z"), 0U);
  EXPECT_EQ(count("created_before=2016-01-01T00:00:00Z"), 0U);
}

}  // namespace
}  // namespace pawl::testing
