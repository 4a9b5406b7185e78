// Definitions and runs over HTTP: the shapes of responses, headers, waiting and following.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kTwoSteps =
    R"({"name":"two","tasks":[{"id":"a","activity":"t.a"},{"id":"b","activity":"t.b","after":["a"]}]})";

class Runs : public ServerTest {
 protected:
  struct Got {
    int status = 0;
    std::string head;
    std::string body;
    [[nodiscard]] Json json() const { return Json::parse(body, nullptr, false); }
  };
  [[nodiscard]] Got ask(const std::string& bytes) const {
    RawClient client{front.port()};
    client.send(bytes);
    const std::string answer = client.receive();
    const std::size_t end = answer.find("\r\n\r\n");
    return {.status = status_of(answer), .head = answer.substr(0, end), .body = answer.substr(end + 4)};
  }
  [[nodiscard]] Got read(const std::string& path) const { return ask(get("/v1/default" + path)); }
  [[nodiscard]] Got send(const std::string& path, const std::string& body,
                         const std::string& fields = "") const {
    return ask(post("/v1/default" + path, body, fields));
  }
  [[nodiscard]] Got put(const std::string& name, const std::string& text,
                        const std::string& type = "application/json") const {
    std::string request = post("/v1/default/definitions/" + name, text, "Content-Type: " + type + "\r\n");
    return ask(request.replace(0, 4, "PUT"));
  }
  void define(const std::string& name, const std::string& text) const {
    const Got done = put(name, text);
    ASSERT_EQ(done.status, 201) << done.body;
  }
  [[nodiscard]] std::string start(const std::string& workflow, const std::string& body = "{}") const {
    const Got started = send("/workflows/" + workflow + "/start", body);
    EXPECT_EQ(started.status, 201) << started.body;
    return started.json()["run"]["id"];
  }
  // Claims the next task and completes it.
  void complete_next(const std::string& output = "1") {
    const auto claimed = runtime.api().claim({.worker_id = "w", .max = 1, .wait = std::chrono::seconds{20}});
    ASSERT_EQ(claimed->size(), 1U);
    const core::Task& task = claimed->front().task;
    const auto done = runtime.api().report({.worker_id = "w",
                                            .reports = {{.task_id = task.id,
                                                         .fence = task.lease->fence,
                                                         .action = core::ReportAction::complete,
                                                         .output = {output}}}});
    ASSERT_TRUE(done->front().ok());
  }
};

TEST_F(Runs, ADefinitionGetsANewVersionOnlyIfItDiffers) {
  const Got first = put("two", kTwoSteps);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(first.json()["version"], 1);
  EXPECT_EQ(first.json().size(), 3U) << first.body;
  const Got again =
      put("two", "name: two\ntasks:\n- {id: a, activity: t.a}\n- {id: b, after: [a], activity: t.b}\n",
          "application/yaml");
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(again.json(), first.json());
  EXPECT_EQ(put("two", R"({"tasks":[{"id":"a","activity":"t.a"}]})").json()["version"], 2);
  EXPECT_EQ(read("/definitions/two").json()["version"], 2);
  EXPECT_EQ(read("/definitions/two/versions/1").json()["definition"]["tasks"].size(), 2U);
  EXPECT_EQ(read("/definitions").json()["items"].size(), 1U);
  EXPECT_EQ(read("/definitions/two/versions/3").status, 404);
  EXPECT_EQ(read("/definitions/two/versions/x").status, 400);
  EXPECT_EQ(read("/definitions/none").status, 404);
}

TEST_F(Runs, AMistakeInADefinitionIsReportedWithItsLine) {
  const Got wrong = put("circle",
                        "name: circle\ntasks:\n  - {id: a, activity: t, after: [b]}\n"
                        "  - {id: b, activity: t, after: [a]}\n",
                        "application/yaml");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.json()["errors"][0]["line"], 3) << wrong.body;
  EXPECT_NE(wrong.body.find("a -> b -> a"), std::string::npos) << wrong.body;
  EXPECT_EQ(read("/definitions/circle").status, 404);
}

TEST_F(Runs, AKeyStartsOneRun) {
  define("two", kTwoSteps);
  const Got first = send("/workflows/two/start", R"({"run_key":"k","input":{"n":1},"labels":{"a":"b"}})");
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(first.json()["created"], true);
  const Json run = first.json()["run"];
  EXPECT_EQ(run["state"], "running");
  EXPECT_EQ(run["counts"]["pending"], 1);
  EXPECT_EQ(run["counts"]["blocked"], 1);
  const Got again = send("/workflows/two/start", R"({"run_key":"k"})");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.json()["created"], false);
  EXPECT_EQ(again.json()["run"]["id"], run["id"]);
  EXPECT_EQ(send("/workflows/two/start", R"({"run_key":"k","on_conflict":"fail"})").status, 409);
  EXPECT_EQ(read("/runs?run_key=k").json()["items"].size(), 1U);
  EXPECT_EQ(read("/runs?label=a:b&state=running,paused").json()["items"].size(), 1U);
  EXPECT_EQ(read("/runs?state=done").status, 400);
}

TEST_F(Runs, AnInvalidStartIsRejectedByField) {
  define("two", kTwoSteps);
  EXPECT_NE(send("/workflows/two/start", R"({"inptu":1})").body.find("inptu"), std::string::npos);
  EXPECT_EQ(send("/workflows/two/start", R"({"version":7})").status, 404);
  EXPECT_EQ(send("/workflows/none/start", "{}").status, 404);
  EXPECT_EQ(send("/runs/none/pause", "{}").status, 400);
  EXPECT_EQ(read("/runs").json()["items"].size(), 0U);
}

TEST_F(Runs, TheResultIsAvailableOnceTheRunHasEnded) {
  define("two", kTwoSteps);
  const std::string id = start("two");
  EXPECT_EQ(read("/runs/" + id + "/result").status, 202);
  EXPECT_EQ(read("/runs/" + id + "/result?wait=2h").status, 400);
  RawClient waiting{front.port()};
  waiting.send(get("/v1/default/runs/" + id + "/result?wait=20s"));
  complete_next();
  complete_next("2");
  const std::string answer = waiting.receive();
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_NE(answer.find(R"("output":{"b":2})"), std::string::npos) << answer;
}

TEST_F(Runs, WaitingForAResultHoldsNoThread) {
  define("two", kTwoSteps);
  const std::string id = start("two");
  std::vector<std::unique_ptr<RawClient>> waiting;
  for (int i = 0; i < 4 * server::HttpOptions{}.blocking.threads; ++i) {
    waiting.push_back(std::make_unique<RawClient>(front.port()));
    waiting.back()->send(get("/v1/default/runs/" + id + "/result?wait=20s"));
  }
  EXPECT_EQ(read("/runs/" + id).status, 200);
  complete_next();
  complete_next();
  for (const auto& client : waiting) EXPECT_EQ(status_of(client->receive()), 200);
}

TEST_F(Runs, ManyEventsAreStreamedCompletely) {
  std::string tasks;
  for (int i = 0; i < 300; ++i) {
    tasks += (i == 0 ? "" : ",") + std::string{R"({"id":"t)"} + std::to_string(i) + R"(","activity":"t"})";
  }
  define("many", R"({"tasks":[)" + tasks + "]}");
  const std::string id = start("many");
  EXPECT_EQ(send("/runs/" + id + "/cancel", "{}").json()["state"], "cancelled");
  RawClient client{front.port()};
  client.send(get("/v1/default/runs/" + id + "/events", "Accept: text/event-stream\r\n"));
  const std::string all = client.receive_all();
  const auto last = read("/runs/" + id).json()["sequence"].get<int>();
  EXPECT_GT(last, 300);
  for (int i = 1; i <= last; ++i)
    EXPECT_NE(all.find("id: " + std::to_string(i) + "\n"), std::string::npos) << i;
}

TEST_F(Runs, AnActionWithAnOutdatedSequenceIsRejected) {
  define("two", kTwoSteps);
  const std::string id = start("two");
  const auto sequence = read("/runs/" + id).json()["sequence"].get<int>();
  EXPECT_EQ(send("/runs/" + id + "/pause", "{}", "If-Match: 999\r\n").status, 412);
  EXPECT_EQ(send("/runs/" + id + "/pause", "{}", "If-Match: x\r\n").status, 400);
  const Got paused = send("/runs/" + id + "/pause", R"({"reason":"lunch"})",
                          "If-Match: \"" + std::to_string(sequence) + "\"\r\n");
  EXPECT_EQ(paused.json()["state"], "paused") << paused.body;
  EXPECT_EQ(send("/runs/" + id + "/retry", "{}").json()["code"], "invalid_state");
  EXPECT_EQ(send("/runs/" + id + "/resume", "{}").json()["state"], "running");
  EXPECT_EQ(send("/runs/" + id + "/cancel", "{}").json()["state"], "cancelled");
  EXPECT_EQ(send("/runs/" + id + "/pause", "{}").json()["code"], "already_completed");
}

TEST_F(Runs, ASignalWithAnOutdatedSequenceIsRejected) {
  define("waits", R"({"name":"waits","tasks":[{"id":"a","type":"signal","signal":"s"}]})");
  const std::string path = "/runs/" + start("waits");
  const auto sequence = std::to_string(read(path).json()["sequence"].get<int>());
  const Got refused = send(path + "/signals/s", "{}", "If-Match: \"999\"\r\n");
  EXPECT_EQ(refused.status, 412) << refused.body;
  EXPECT_EQ(refused.json()["code"], "precondition_failed");
  EXPECT_EQ(send(path + "/signals/s", "{}", "If-Match: x\r\n").status, 400);
  EXPECT_EQ(std::to_string(read(path).json()["sequence"].get<int>()), sequence);
  const Got sent = send(path + "/signals/s", "{}", "If-Match: \"" + sequence + "\"\r\n");
  EXPECT_EQ(sent.json()["state"], "completed") << sent.body;
}

// --- entity tags ---

std::string etag_in(const std::string& head) { return field_of(head + "\r\n\r\n", "ETag"); }

TEST_F(Runs, HaveTheirSequenceAsETag) {
  define("two", kTwoSteps);
  const Got started = send("/workflows/two/start", R"({"run_key":"k"})");
  const auto tag = [](const Json& run) { return "\"" + std::to_string(run["sequence"].get<int>()) + "\""; };
  EXPECT_EQ(etag_in(started.head), tag(started.json()["run"])) << started.head;
  const std::string path = "/runs/" + started.json()["run"]["id"].get<std::string>();
  for (const std::string rest : {"", "/result"}) {
    const Got got = read(path + rest);
    EXPECT_EQ(etag_in(got.head), tag(got.json())) << rest << got.head;
  }
  const Got same = send("/workflows/two/start", R"({"run_key":"k"})");
  EXPECT_EQ(etag_in(same.head), tag(same.json()["run"]));
  const Got paused = send(path + "/pause", "{}", "If-Match: " + etag_in(same.head) + "\r\n");
  EXPECT_EQ(paused.json()["state"], "paused") << paused.body;
  EXPECT_EQ(etag_in(paused.head), tag(paused.json()));
  EXPECT_NE(etag_in(paused.head), etag_in(same.head));
  EXPECT_EQ(send(path + "/resume", "{}", "If-Match: " + etag_in(same.head) + "\r\n").status, 412);
  const Got resumed = send(path + "/resume", "{}", "If-Match: " + etag_in(paused.head) + "\r\n");
  EXPECT_EQ(resumed.json()["state"], "running") << resumed.body;
  const Got opened = send("/runs", "{}");
  EXPECT_EQ(etag_in(opened.head), tag(opened.json()["run"]));
  EXPECT_EQ(etag_in(send(path + "/pause", "{}", "If-Match: \"999\"\r\n").head), "");
  EXPECT_EQ(etag_in(read(path + "?include=tasks").head), "") << "its tasks change without it";
}

TEST_F(Runs, AreNotSentAgainForAMatchingETag) {
  define("two", kTwoSteps);
  const std::string path = "/v1/default/runs/" + start("two");
  const std::string early = etag_in(ask(get(path)).head);
  EXPECT_EQ(ask(get(path, "If-None-Match: " + early + "\r\n")).status, 200) << "a claim changes its counts";
  complete_next();
  complete_next();
  EXPECT_EQ(ask(get(path, "If-None-Match: " + early + "\r\n")).status, 200) << "it went on";
  const std::string tag = etag_in(ask(get(path)).head);
  for (const std::string& known :
       {tag, "\"x\", " + tag, "W/" + tag, std::string{"*"}, "\"x\"\r\nIf-None-Match: " + tag}) {
    RawClient client{front.port()};
    client.send(get(path, "Connection: close\r\nIf-None-Match: " + known + "\r\n"));
    const std::string answer = client.receive_all();
    EXPECT_EQ(status_of(answer), 304) << known;
    EXPECT_EQ(field_of(answer, "ETag"), tag);
    EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << "a 304 has no body";
  }
  EXPECT_EQ(ask(get(path, "If-None-Match: \"999\"\r\n")).status, 200);
}

TEST_F(Runs, HaveTheirETagInAReplayedResponse) {
  define("two", kTwoSteps);
  const std::string key = "Idempotency-Key: k\r\n";
  const Got first = send("/workflows/two/start", "{}", key);
  const Got replayed = send("/workflows/two/start", "{}", key);
  EXPECT_EQ(field_of(replayed.head + "\r\n\r\n", "Idempotent-Replay"), "true");
  EXPECT_NE(etag_in(first.head), "");
  EXPECT_EQ(etag_in(replayed.head), etag_in(first.head));
}

TEST_F(Runs, EventsHaveNoGapAndContainTheTrace) {
  define("two", kTwoSteps);
  const Got started = send("/workflows/two/start", "{}",
                           "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n");
  const std::string id = started.json()["run"]["id"];
  const Json events = read("/runs/" + id + "/events").json();
  ASSERT_GE(events["items"].size(), 3U);
  for (std::size_t i = 0; i < events["items"].size(); ++i) EXPECT_EQ(events["items"][i]["sequence"], i + 1);
  EXPECT_EQ(events["items"][0]["type"], "workflow_created");
  EXPECT_EQ(events["items"][0]["trace_id"], "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(events["items"][0]["span_id"], "b7ad6b7169203331");
  EXPECT_EQ(events["next_cursor"], nullptr);
  const Json first = read("/runs/" + id + "/events?limit=1").json();
  EXPECT_EQ(first["next_cursor"], "1");
  EXPECT_EQ(read("/runs/" + id + "/events?after=1&limit=1").json()["items"][0]["sequence"], 2);
}

TEST_F(Runs, EventsAreStreamedToTheEndAndResumed) {
  define("two", kTwoSteps);
  const std::string id = start("two");
  const std::string path = "/v1/default/runs/" + id + "/events";
  RawClient following{front.port()};
  following.send(get(path, "Accept: text/event-stream\r\n"));
  ASSERT_NE(following.receive_until("event: workflow_started").find("id: 1\n"), std::string::npos);
  complete_next();
  complete_next();
  const std::string all = following.receive_all();
  EXPECT_NE(all.find("event: workflow_completed\n"), std::string::npos) << all;
  RawClient resumed{front.port()};
  resumed.send(get(path, "Accept: text/event-stream\r\nLast-Event-ID: 4\r\n"));
  const std::string rest = resumed.receive_all();
  EXPECT_EQ(rest.find("id: 4\n"), std::string::npos) << rest;
  EXPECT_NE(rest.find("id: 5\n"), std::string::npos) << rest;
  const auto last = std::to_string(read("/runs/" + id).json()["sequence"].get<int>());
  EXPECT_EQ(ask(get(path, "Accept: text/event-stream\r\nLast-Event-ID: " + last + "\r\n")).status, 204)
      << "so that a browser does not ask for ever";
  EXPECT_EQ(ask(get(path, "Accept: text/event-stream\r\nLast-Event-ID: x\r\n")).status, 400);
}

TEST_F(Runs, AreDrawnAndReplayed) {
  define("two", kTwoSteps);
  const std::string id = start("two");
  complete_next();
  const Json graph = read("/runs/" + id + "/graph").json();
  EXPECT_EQ(graph["nodes"][0]["id"], "a");
  EXPECT_EQ(graph["nodes"][0]["state"], "completed");
  EXPECT_EQ(graph["edges"], Json::parse(R"([{"from":"a","to":"b"}])"));
  EXPECT_NE(read("/runs/" + id + "/graph?format=mermaid").body.find("flowchart TD"), std::string::npos);
  EXPECT_NE(read("/runs/" + id + "/graph?format=dot").body.find("digraph"), std::string::npos);
  EXPECT_EQ(read("/runs/" + id + "/graph?format=svg").status, 400);
  const Json replay = read("/runs/" + id + "/replay").json();
  EXPECT_EQ(replay["matches"], true) << replay.dump();
  EXPECT_EQ(replay["state"], read("/runs/" + id).json());
  EXPECT_EQ(read("/runs/" + id + "/replay?up_to=1").json()["state"]["sequence"], 1);
  const Json whole = read("/runs/" + id + "?include=tasks,steps").json();
  EXPECT_EQ(whole["tasks"][0]["output"], 1);
  EXPECT_EQ(whole["steps"], Json::array());
  EXPECT_EQ(read("/runs/" + id + "?include=rows").status, 400);
}

TEST_F(Runs, RewindForksANewRun) {
  define("two", kTwoSteps);
  const std::string id = start("two");
  complete_next();
  const Got fork = send("/runs/" + id + "/rewind", R"({"to":"b"})");
  EXPECT_EQ(fork.status, 201) << fork.body;
  EXPECT_NE(fork.json()["run"]["id"], id);
  EXPECT_EQ(fork.json()["run"]["counts"]["completed"], 1);
  EXPECT_EQ(send("/runs/" + id + "/rewind", R"({"to":"none"})").status, 400);
}

TEST_F(Runs, ASignalIsBufferedUntilATaskConsumesIt) {
  define("ask",
         R"({"tasks":[{"id":"a","activity":"t.a"},{"id":"s","type":"signal","signal":"go","after":["a"]}]})");
  const std::string id = start("ask");
  const Got sent = send("/runs/" + id + "/signals/go", R"({"payload":{"ok":true},"idempotency_key":"k"})");
  EXPECT_EQ(sent.status, 200) << sent.body;
  EXPECT_EQ(send("/runs/" + id + "/signals/go", R"({"payload":2,"idempotency_key":"k"})").status, 200);
  complete_next();
  EXPECT_EQ(read("/runs/" + id + "/result?wait=20s").json()["output"], Json::parse(R"({"s":{"ok":true}})"));
}

TEST_F(Runs, OpenRunsAcceptTheirTasksOneByOne) {
  const Got opened = send("/runs", R"({"run_key":"o","input":{"n":1}})");
  EXPECT_EQ(opened.status, 201) << opened.body;
  const std::string id = opened.json()["run"]["id"];
  EXPECT_EQ(opened.json()["run"]["kind"], "open");
  const Got first = send("/tasks", R"({"type":"t","run_id":")" + id + "\"}");
  EXPECT_EQ(first.status, 201) << first.body;
  const std::string task = first.json()["task"]["id"];
  EXPECT_EQ(first.json()["task"]["run_id"], id);
  const Got second = send("/tasks", R"({"type":"t","run_id":")" + id + R"(","after":[")" + task + "\"]}");
  EXPECT_EQ(second.json()["task"]["status"], "blocked") << second.body;
  const Json claimed = send("/tasks/claim", R"({"worker_id":"w"})").json();
  ASSERT_EQ(claimed["tasks"].size(), 1U) << claimed.dump();
  EXPECT_EQ(claimed["tasks"][0]["execution_key"], id + ":" + task + ":1");
  EXPECT_EQ(claimed["tasks"][0]["operation_key"], id + ":" + task);
  EXPECT_EQ(read("/tasks/" + task).json()["operation_key"], id + ":" + task);
  EXPECT_EQ(send("/tasks/" + task + "/complete", R"({"worker_id":"w","fence":1})").status, 200);
  complete_next();
  EXPECT_EQ(send("/runs/" + id + "/complete", "{}").json()["state"], "completed");
  EXPECT_EQ(read("/tasks?run_id=" + id).json()["items"].size(), 2U);
}

TEST_F(Runs, BulkActionsSupportADryRun) {
  define("two", kTwoSteps);
  (void)start("two");
  (void)start("two");
  const std::string filter = R"({"filter":{"workflow":"two","state":"running"},"dry_run":true})";
  const Json dry = send("/runs/cancel", filter).json();
  EXPECT_EQ(dry["matched"], 2);
  EXPECT_EQ(dry["changed"], 0);
  EXPECT_EQ(read("/runs?state=running").json()["items"].size(), 2U);
  EXPECT_EQ(send("/runs/cancel", R"({"filter":{"workflow":"two"}})").json()["changed"], 2);
  EXPECT_EQ(read("/runs?state=cancelled").json()["items"].size(), 2U);
}

TEST_F(Runs, AnIdempotencyKeyStartsOneRun) {
  define("two", kTwoSteps);
  const Got first = send("/workflows/two/start", "{}", "Idempotency-Key: k\r\n");
  const Got again = send("/workflows/two/start", "{}", "Idempotency-Key: k\r\n");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 201);
  EXPECT_NE(again.head.find("Idempotent-Replay: true"), std::string::npos) << again.head;
  EXPECT_EQ(again.json()["run"]["id"], first.json()["run"]["id"]);
  EXPECT_EQ(read("/runs").json()["items"].size(), 1U);
}

}  // namespace
}  // namespace pawl::testing
