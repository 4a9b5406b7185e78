// Rules of the API that hold for every call.
#include <gtest/gtest.h>

#include "tests/server/json_fixture.hpp"

namespace pawl::testing {
namespace {

class Contract : public JsonServerTest {
 protected:
  [[nodiscard]] std::string enqueue(const std::string& queue = "default") const {
    return send("/tasks", {{"type", "t"}, {"queue", queue}}).json["task"]["id"];
  }
};

TEST_F(Contract, RejectsUnknownQueryParametersByName) {
  const Got refused = send("/tasks?limt=1", {{"type", "t"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.json["errors"][0]["field"], "limt");
  EXPECT_EQ(read("/tasks").json["items"].size(), 0U);
  EXPECT_EQ(read("/tasks/" + enqueue() + "?zz=1").status, 400);
  EXPECT_EQ(read("/tasks?limit=1").status, 200);
}

TEST_F(Contract, PagesEveryList) {
  for (const char* queue : {"a", "b", "c"}) (void)enqueue(queue);
  const Got first = read("/queues?limit=2");
  ASSERT_EQ(first.status, 200) << first.json;
  EXPECT_EQ(first.json["items"].size(), 2U);
  const Got second = read("/queues?limit=2&cursor=" + first.json["next_cursor"].get<std::string>());
  ASSERT_GE(second.json["items"].size(), 1U) << second.json;
  EXPECT_NE(second.json["items"][0]["name"], first.json["items"][0]["name"]);
  EXPECT_TRUE(second.json["next_cursor"].is_null());
  EXPECT_EQ(read("/queues?limit=501").json["errors"][0]["field"], "limit");
  EXPECT_EQ(read("/queues?cursor=zz").json["errors"][0]["field"], "cursor");
  const std::string task = enqueue();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(send("/checkpoints", {{"task_id", task}, {"type", "tool_executed"}, {"snapshot", i}}).status,
              201);
  const Got notes = read("/checkpoints?limit=2&task_id=" + task);
  EXPECT_EQ(notes.json["items"].size(), 2U) << notes.json;
  EXPECT_EQ(ask(get("/v1/admin/nodes?limit=1")).status, 200);
}

TEST_F(Contract, NamesTheTaskOfAnInvalidReport) {
  const std::string task = enqueue();
  const Got got =
      send("/tasks/report",
           {{"worker_id", "w"}, {"reports", {{{"task_id", task}, {"fence", 1}, {"action", "bogus"}}}}});
  ASSERT_EQ(got.status, 200) << got.json;
  EXPECT_EQ(got.json["results"][0]["task_id"], task);
  EXPECT_EQ(got.json["results"][0]["ok"], false);
  EXPECT_FALSE(got.json["results"][0]["error"]["request_id"].get<std::string>().empty()) << got.json;
}

// A snapshot or a request may be any JSON value, including null.
TEST_F(Contract, AllowsANullSnapshot) {
  const std::string task = enqueue();
  const Got made =
      send("/checkpoints", {{"task_id", task}, {"type", "tool_executed"}, {"snapshot", nullptr}});
  ASSERT_EQ(made.status, 201) << made.json;
  const Got shown = read("/checkpoints?task_id=" + task);
  ASSERT_EQ(shown.json["items"].size(), 1U) << shown.json;
  EXPECT_TRUE(shown.json["items"][0]["snapshot"].is_null()) << shown.json;
  const Got absent = send("/checkpoints", {{"task_id", task}, {"type", "tool_executed"}});
  EXPECT_EQ(absent.status, 400);
  EXPECT_EQ(absent.json["errors"][0]["field"], "snapshot");
}

TEST_F(Contract, AllowsANullRequestOfAnIdempotencyKey) {
  EXPECT_EQ(send("/idempotency/a/begin", {{"request", nullptr}}).status, 201);
  EXPECT_EQ(send("/idempotency/a/begin", {{"request", 1}}).status, 422) << "another request";
  const std::string hash = "sha256:" + std::string(64, 'a');
  const Got hashed = send("/idempotency/b/begin", {{"request", nullptr}, {"request_hash", hash}});
  ASSERT_EQ(hashed.status, 201) << hashed.json;
  EXPECT_EQ(read("/idempotency/b").json["request_hash"], hash) << "null beside a hash is no request";
  EXPECT_EQ(send("/idempotency/c/begin", {{"request", 1}, {"request_hash", hash}}).status, 400);
  const Got absent = send("/idempotency/c/begin", nlohmann::json::object());
  EXPECT_EQ(absent.status, 400);
  EXPECT_EQ(absent.json["errors"][0]["field"], "request");
}

TEST_F(Contract, ShowsTheDstRulesOfSchedules) {
  const nlohmann::json made{{"name", "s"}, {"cron", "30 2 * * *"}, {"task", {{"type", "t"}}}};
  const Got plain = send("/schedules", made);
  ASSERT_EQ(plain.status, 201) << plain.json;
  EXPECT_EQ(plain.json["dst"], (nlohmann::json{{"gap", "shift"}, {"fold", "first"}}));
  EXPECT_TRUE(plain.json["last_fired_at"].is_null()) << plain.json;
  nlohmann::json other = made;
  other["name"] = "other";
  other["dst"] = {{"gap", "skip"}, {"fold", "both"}};
  EXPECT_EQ(send("/schedules", other).json["dst"], other["dst"]);
  other["name"] = "wrong";
  other["dst"] = {{"gap", "move"}};
  const Got wrong = send("/schedules", other);
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.json["errors"][0]["field"], "dst.gap");
  EXPECT_EQ(wrong.json["errors"][0]["message"], "\"move\" is not shift or skip");
  other["dst"] = {{"folds", "both"}};
  EXPECT_EQ(send("/schedules", other).json["errors"][0]["field"], "dst.folds");
}

TEST_F(Contract, GivesCheckpointsAndEventsStableIds) {
  const std::string task = enqueue();
  const Got made = send("/checkpoints", {{"task_id", task}, {"type", "tool_executed"}, {"snapshot", 1}});
  const std::string id = made.json["checkpoint_id"];
  ASSERT_TRUE(core::parse_uuid(id)) << id;
  EXPECT_EQ(id[14], '7') << "of version 7";
  EXPECT_EQ(read("/checkpoints?task_id=" + task).json["items"][0]["checkpoint_id"], id);

  const Got started = send("/workflows/order/start", {{"kind", "code"}});
  const std::string events = "/runs/" + started.json["run"]["id"].get<std::string>() + "/events";
  const Got log = read(events);
  ASSERT_GE(log.json["items"].size(), 2U) << log.json;
  for (const auto& event : log.json["items"])
    EXPECT_TRUE(core::parse_uuid(event["event_id"].get<std::string>())) << event;
  EXPECT_NE(log.json["items"][0]["event_id"], log.json["items"][1]["event_id"]);
  EXPECT_EQ(read(events).json, log.json);
}

TEST_F(Contract, NamesTheFieldsOfASingleReport) {
  const std::string task = enqueue();
  (void)send("/tasks/claim", {{"worker_id", "w"}});
  const Got got = send("/tasks/" + task + "/fail",
                       {{"worker_id", "w"}, {"fence", 1}, {"error", {{"code", ""}, {"message", "no"}}}});
  EXPECT_EQ(got.status, 400);
  EXPECT_EQ(got.json["errors"][0]["field"], "error.code");
}

TEST_F(Contract, HidesTheReservedNamespace) {
  const Got got = ask(post("/v1/admin/tasks", R"({"type":"t"})"));
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.json["code"], "not_found");
  EXPECT_NE(got.json["detail"].get<std::string>().find("reserved"), std::string::npos);
}

TEST_F(Contract, EndsTheWaitingClaimOfADrainingWorker) {
  const std::string worker = send("/workers", {{"queues", {"default"}}}).json["worker_id"];
  RawClient waiting{front.port()};
  waiting.send(post("/v1/default/tasks/claim", Json{{"worker_id", worker}, {"wait", "20s"}}.dump()));
  while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
  EXPECT_EQ(send("/workers/" + worker + "/drain", Json::object()).status, 200);
  EXPECT_EQ(Json::parse(body_of(waiting.receive()))["tasks"].size(), 0U);
  (void)enqueue();
  EXPECT_EQ(send("/tasks/claim", {{"worker_id", worker}}).json["tasks"].size(), 0U);
}

}  // namespace
}  // namespace pawl::testing
