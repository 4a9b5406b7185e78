// Exercises every operation of /openapi.json. Each test server compares its responses with the document
// (tests/over_http/answer_check.hpp); this test requires that each operation succeeds with every status that
// it has.
#include "server/openapi.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "core/base/ids.hpp"
#include "tests/over_http/answer_check.hpp"
#include "tests/server/json_fixture.hpp"

namespace pawl::testing {
namespace {

constexpr const char* kSaga = R"({"on_failure":"fail","tasks":[
  {"id":"a","activity":"saga.a","compensate":"undo_a","retry":{"max_attempts":1}},
  {"id":"b","activity":"saga.b","after":["a"],"retry":{"max_attempts":1}},
  {"id":"undo_a","type":"compensation","activity":"saga.undo","retry":{"max_attempts":1}}]})";

class OpenApi : public JsonServerTest {
 protected:
  [[nodiscard]] std::string request(const std::string& method, const std::string& path,
                                    const std::string& body = "", const std::string& fields = "") const {
    const std::string authorization = bearer.empty() ? "" : "Authorization: Bearer " + bearer + "\r\n";
    const std::string bytes = post(path, body, authorization + fields);
    return method + bytes.substr(bytes.find(' '));
  }
  // A call that must succeed with `status`.
  Json does(int status, const std::string& method, const std::string& path, const Json& body = nullptr,
            const std::string& fields = "") const {
    const std::string text = body.is_null() ? "" : body.dump();
    const Got got =
        ask(request(method, path.starts_with("/v1/") ? path : "/v1/default" + path, text, fields));
    EXPECT_EQ(got.status, status) << method << " " << path << "\n" << got.json;
    return got.json;
  }
  Json reads(const std::string& path) const { return does(200, "GET", path); }
  Json posts(int status, const std::string& path, const Json& body = Json::object()) const {
    return does(status, "POST", path, body);
  }

  [[nodiscard]] Json claim(const std::string& type) const {
    const Json asked{{"worker_id", "w"}, {"types", {type}}, {"max", 1}, {"wait", "5s"}};
    const Json claimed = posts(200, "/tasks/claim", asked);
    if (claimed["tasks"].empty()) throw std::runtime_error{"there is no task of the type " + type};
    return claimed["tasks"][0];
  }
  // Claims a task of a type and reports on it.
  void work(const std::string& type, const std::string& action, Json fields = Json::object()) const {
    const Json task = claim(type);
    fields["worker_id"] = "w";
    fields["fence"] = task["lease"]["fence"];
    posts(200, "/tasks/" + task["id"].get<std::string>() + "/" + action, fields);
  }
  [[nodiscard]] std::string started(const std::string& workflow, const Json& body = Json::object()) const {
    return "/runs/" + posts(201, "/workflows/" + workflow + "/start", body)["run"]["id"].get<std::string>();
  }
  [[nodiscard]] std::string failed_saga() const {
    const std::string run = started("saga");
    work("saga.a", "complete", {{"output", 1}});
    work("saga.b", "fail", {{"error", {{"code", "no"}}}});
    reads(run + "/result?wait=5s");
    return run;
  }
  // The data of the first events of a stream.
  [[nodiscard]] std::vector<std::string> events_at(const std::string& path) const {
    RawClient client{front.port()};
    client.send(request("GET", "/v1/default" + path, "", "Accept: text/event-stream\r\n"));
    const std::string text = client.receive_until("\n\n");
    constexpr std::string_view kData = "\ndata: ";
    std::vector<std::string> found;
    for (std::size_t at = text.find(kData); at != std::string::npos; at = text.find(kData, at + 1)) {
      const std::size_t from = at + kData.size();
      const std::size_t end = text.find('\n', from);
      if (end != std::string::npos) found.push_back(text.substr(from, end - from));
    }
    return found;
  }
  void follow(std::string_view operation, const std::string& path) const {
    const auto events = events_at(path);
    EXPECT_FALSE(events.empty()) << path;
    for (const std::string& data : events) AnswerCheck::instance().check_event(operation, data);
  }

  void visit_service() const;
  void visit_tasks() const;
  void visit_queues_and_records() const;
  void visit_workers_and_types() const;
  void visit_definitions() const;
  void visit_runs() const;
  void visit_run_actions() const;
  void visit_steps() const;
  void visit_schedules() const;
  void visit_admin();

  std::string bearer;
};

void OpenApi::visit_service() const {
  const auto raw = [&](const std::string& path, const std::string& fields = "") {
    RawClient client{front.port()};
    client.send(get(path, fields + "Connection: close\r\n"));
    return client.receive_all();
  };
  for (const char* path : {"/healthz", "/readyz", "/metrics", "/openapi.json"})
    EXPECT_EQ(status_of(raw(path)), 200) << path;
  const std::string page = raw("/");
  EXPECT_EQ(status_of(raw("/", "If-None-Match: " + field_of(page, "ETag") + "\r\n")), 304);
  const std::size_t at = page.find("/assets/");
  ASSERT_NE(at, std::string::npos) << "this build has no dashboard: ./dev test builds it first";
  const std::string asset = page.substr(at, page.find('"', at) - at);
  const std::string file = raw(asset);
  EXPECT_EQ(status_of(file), 200);
  EXPECT_EQ(status_of(raw(asset, "If-None-Match: " + field_of(file, "ETag") + "\r\n")), 304);
}

void OpenApi::visit_tasks() const {
  const Json spec{{"type", "a"},
                  {"payload", {{"x", 1}}},
                  {"idempotency_key", "k"},
                  {"key", "e"},
                  {"timeout", "1h"},
                  {"labels", {{"l", "v"}}},
                  {"fairness_key", "t"},
                  {"retry", {{"max_attempts", 2}}}};
  const std::string task = "/tasks/" + posts(201, "/tasks", spec)["task"]["id"].get<std::string>();
  posts(200, "/tasks", spec);
  reads("/tasks?status=pending,blocked&label=l:v&order=asc&limit=1");
  const Json batch{{"tasks", {{{"type", "b"}}, {{"type", "b"}}, {{"type", "b"}}}}};
  does(200, "POST", "/tasks/batch", batch, "Idempotency-Key: once\r\n");
  does(200, "POST", "/tasks/batch", batch, "Idempotency-Key: once\r\n");
  work("a", "release");
  Json claimed = claim("a");
  const Json held{{"worker_id", "w"}, {"fence", claimed["lease"]["fence"]}};
  posts(200, task + "/start", held);
  Json longer = held;
  longer["lease"] = "60s";
  posts(200, task + "/heartbeat", longer);
  reads(task);
  Json failed = held;
  failed["error"] = {{"code", "no"}, {"retryable", false}};
  posts(200, task + "/fail", failed);
  reads(task);
  posts(200, task + "/retry");
  posts(200, task + "/cancel");
  work("b", "complete", {{"output", {1, 2}}});
  claimed = claim("b");
  Json good{{"task_id", claimed["id"]}, {"fence", claimed["lease"]["fence"]}, {"action", "heartbeat"}};
  Json bad = good;
  bad["fence"] = 99;
  posts(200, "/tasks/report", {{"worker_id", "w"}, {"reports", {good, bad}}});
  posts(200, "/tasks/cancel", {{"filter", {{"type", "b"}}}, {"limit", 10}});
  posts(200, "/tasks/retry", {{"filter", {{"status", "failed"}}}, {"dry_run", true}});
}

void OpenApi::visit_queues_and_records() const {
  does(200, "PUT", "/queues/q",
       {{"max_concurrency", 3}, {"rate", {{"limit", 5}, {"per", "1s"}}}, {"type_concurrency", {{"a", 1}}}});
  reads("/queues");
  follow("listQueues", "/queues");
  const std::string task = posts(201, "/tasks", {{"type", "c"}})["task"]["id"];
  posts(201, "/checkpoints", {{"task_id", task}, {"type", "tool_executed"}, {"snapshot", {{"n", 1}}}});
  reads("/checkpoints?task_id=" + task);
  reads("/checkpoints/summary?task_id=" + task);
  const Json lock = posts(200, "/leases/l/acquire", {{"holder", "h"}, {"ttl", "30s"}});
  posts(200, "/leases/l/acquire", {{"holder", "other"}});
  posts(200, "/leases/l/renew", {{"holder", "h"}, {"fence", lock["fence"]}});
  posts(200, "/leases/l/release", {{"holder", "h"}, {"fence", lock["fence"]}});
  reads("/leases/l");
  posts(201, "/idempotency/i/begin", {{"request", 1}, {"task_id", task}});
  posts(200, "/idempotency/i/complete", {{"response", {{"ok", true}}}});
  posts(200, "/idempotency/i/begin", {{"request", 1}});
  reads("/idempotency/i");
  posts(201, "/idempotency/j/begin", {{"request_hash", "sha256:1"}});
  posts(200, "/idempotency/j/fail");
}

void OpenApi::visit_workers_and_types() const {
  const Json worker{
      {"worker_id", "v"}, {"queues", {"default"}}, {"task_types", {"a"}}, {"hostname", "h"},
      {"pid", 1},         {"version", "1"},        {"max_concurrent", 2}, {"labels", {{"region", "eu"}}}};
  posts(201, "/workers", worker);
  posts(200, "/workers/v/heartbeat", {{"active_count", 0}});
  reads("/workers/v/notices");
  reads("/workers/v");
  reads("/workers");
  posts(200, "/workers/v/drain");
  does(200, "DELETE", "/workers/v");
  const Json type{{"required", {"x"}}, {"schema", {{"type", "object"}}}, {"queue", "q"},
                  {"priority", 2},     {"retry", {{"max_attempts", 2}}}, {"timeout", "1m"},
                  {"lease", "1m"}};
  does(200, "PUT", "/types/declared", type);
  does(200, "PUT", "/types/bare", Json::object());
  reads("/types/declared");
  reads("/types");
  does(200, "DELETE", "/types/bare");
}

void OpenApi::visit_definitions() const {
  does(201, "PUT", "/definitions/saga", Json::parse(kSaga));
  does(200, "PUT", "/definitions/saga", Json::parse(kSaga));
  reads("/definitions");
  reads("/definitions/saga");
  reads("/definitions/saga/versions/1");
}

void OpenApi::visit_runs() const {
  const Json keyed{{"run_key", "k"}, {"input", {{"n", 1}}}, {"deadline", "1h"}, {"labels", {{"l", "v"}}}};
  const std::string run = started("saga", keyed);
  posts(200, "/workflows/saga/start", keyed);
  does(202, "GET", run + "/result");
  follow("listRunEvents", run + "/events");
  work("saga.a", "complete");
  reads("/runs?state=running,sleeping&label=l:v");
  reads(run);
  reads(run + "?include=tasks,steps");
  for (const char* what : {"/events", "/replay", "/graph", "/graph?format=mermaid", "/graph?format=dot"})
    reads(run + what);
  const Json fork = posts(201, run + "/rewind", {{"to", "b"}})["run"];
  posts(200, "/runs/" + fork["id"].get<std::string>() + "/terminate", {{"reason", "enough"}});
  does(200, "POST", run + "/pause", Json::object(),
       "If-Match: " + std::to_string(reads(run)["sequence"].get<int>()) + "\r\n");
  posts(200, run + "/resume");
  posts(200, run + "/signals/go", {{"payload", 1}});
  posts(200, run + "/cancel");
  const Json ended = reads(run + "/result?wait=5s");
  const std::string last = "Last-Event-ID: " + std::to_string(ended["sequence"].get<int>()) + "\r\n";
  const Got nothing =
      ask(request("GET", "/v1/default" + run + "/events", "", "Accept: text/event-stream\r\n" + last));
  EXPECT_EQ(nothing.status, 204);
  RawClient known{front.port()};
  known.send(get("/v1/default" + run, "If-None-Match: *\r\nConnection: close\r\n"));
  EXPECT_EQ(status_of(known.receive_all()), 304);
  posts(201, "/runs", {{"run_key", "o"}});
  const std::string open = "/runs/" + posts(200, "/runs", {{"run_key", "o"}})["run"]["id"].get<std::string>();
  posts(200, open + "/complete");
}

void OpenApi::visit_run_actions() const {
  const std::string run = failed_saga();
  posts(200, run + "/retry");
  work("saga.b", "fail", {{"error", {{"code", "no"}}}});
  reads(run + "/result?wait=5s");
  posts(200, run + "/compensate");
  work("saga.undo", "fail", {{"error", {{"code", "no"}}}});
  EXPECT_EQ(reads(run + "/result?wait=5s")["state"], "compensation_failed");
  posts(200, run + "/skip", {{"step", "undo_a"}});
  posts(200, "/runs/retry", {{"filter", {{"state", "failed"}}}, {"dry_run", true}});
  posts(200, "/runs/cancel", {{"filter", {{"workflow", "saga"}}}});
}

void OpenApi::visit_steps() const {
  const std::string run = started("order", {{"kind", "code"}, {"input", 5}});
  Json body = claim("workflow:order");
  const auto held = [&](Json fields = Json::object()) {
    fields["fence"] = body["lease"]["fence"];
    return fields;
  };
  posts(200, run + "/steps/one/begin", held({{"kind", "function"}, {"input", 5}}));
  posts(200, run + "/steps/one/complete", held({{"output", {{"id", 7}}}}));
  posts(200, run + "/steps/two/fail", held({{"error", {{"code", "no"}}}, {"retry_after", "1h"}}));
  posts(200, run + "/suspend", held({{"signals", {"go"}}}));
  posts(200, run + "/signals/go", {{"payload", 9}});
  body = claim("workflow:order");
  const Json begin{
      {"action", "begin"}, {"step_id", "three"}, {"kind", "sleep"}, {"input", {{"duration", "1h"}}}};
  posts(200, run + "/steps", held({{"steps", {begin}}, {"custom_status", "busy"}}));
  Json good = held({{"run_id", body["run_id"]}});
  Json bad = good;
  bad["fence"] = 99;
  posts(200, "/steps", {{"writes", {good, bad}}});
  reads(run + "/steps");
  reads(run + "/memo");
  reads(run + "/steps/one");
}

void OpenApi::visit_schedules() const {
  posts(201, "/schedules",
        {{"name", "s"},
         {"cron", "0 0 * * *"},
         {"timezone", "Europe/Berlin"},
         {"task", {{"type", "t"}, {"payload", 1}}}});
  posts(201, "/schedules",
        {{"name", "r"}, {"every", "10m"}, {"workflow", "saga"}, {"input", 1}, {"queue", "q"}});
  reads("/schedules");
  reads("/schedules/s");
  does(200, "PATCH", "/schedules/s", {{"overlap", "skip"}, {"end_at", nullptr}});
  posts(200, "/schedules/s/pause");
  posts(200, "/schedules/s/resume");
  posts(201, "/schedules/s/trigger");
  posts(200, "/schedules/s/backfill", {{"from", "2026-01-01T00:00:00Z"}, {"to", "2026-01-03T00:00:00Z"}});
  reads("/schedules/s/firings");
  reads("/schedules/s/next?count=2");
  does(200, "DELETE", "/schedules/r");
}

void OpenApi::visit_admin() {
  const Json admin =
      posts(201, "/v1/admin/tokens", {{"role", "admin"}, {"namespaces", {"*"}}, {"name", "root"}});
  bearer = admin["token"];
  const Json other =
      posts(201, "/v1/admin/tokens", {{"role", "worker"}, {"namespaces", {"default"}}, {"queues", {"q"}}});
  const std::string path = "/v1/admin/tokens/" + other["id"].get<std::string>();
  posts(200, path + "/rotate", {{"overlap", "1h"}});
  does(200, "DELETE", path);
  reads("/v1/admin/tokens");
  does(200, "PUT", "/v1/admin/namespaces/default",
       {{"payload_max", 1'000'000}, {"retention_runs", "1d"}, {"retention_queues", {{"q", "1h"}}}});
  for (const char* what : {"namespaces/default", "audit", "nodes", "vitals", "verify"})
    reads(std::string{"/v1/admin/"} + what);
  for (const char* check : {"leases", "retention"})
    posts(200, "/v1/admin/sweep", {{"check", check}, {"dry_run", std::string{check} == "retention"}});
}

TEST_F(OpenApi, EveryOperationSucceedsAsDescribed) {
  visit_service();
  visit_tasks();
  visit_queues_and_records();
  visit_workers_and_types();
  visit_definitions();
  visit_runs();
  visit_run_actions();
  visit_steps();
  visit_schedules();
  visit_admin();
  const std::set<std::string> seen = AnswerCheck::instance().seen();
  for (const std::string& success : AnswerCheck::instance().successes())
    EXPECT_TRUE(seen.contains(success)) << success << " was not seen";
}

// The mismatches that the comparison detects.
TEST(AnswerCheck, NamesSchemaViolations) {
  using Json = nlohmann::json;
  const Json document = Json::parse(server::openapi_document("test"));
  const Json schema{{"$ref", "#/components/schemas/EnqueuedId"}};
  const auto fault = [&](const char* text) { return mismatch(document, schema, Json::parse(text)); };
  EXPECT_EQ(fault(R"({"created":true,"id":"0199e7a2-0000-7000-8000-000000000000"})"), "");
  EXPECT_EQ(fault(R"({"created":true})"), ".id is missing");
  EXPECT_EQ(fault(R"({"created":1,"id":"0199e7a2-0000-7000-8000-000000000000"})"),
            ".created is number, not of type \"boolean\"");
  EXPECT_EQ(fault(R"({"created":true,"id":"x"})"), ".id: 'x' is no uuid");
  EXPECT_EQ(fault(R"({"created":true,"id":"0199e7a2-0000-7000-8000-000000000000","more":1})"),
            ".more is not described");
}

}  // namespace
}  // namespace pawl::testing
