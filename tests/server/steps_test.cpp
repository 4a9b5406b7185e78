// Steps of code runs over HTTP, as a worker in any language writes them.
#include <gtest/gtest.h>

#include "tests/server/json_fixture.hpp"

namespace pawl::testing {
namespace {

class Steps : public JsonServerTest {
 protected:
  void start() {
    const Got started = send("/workflows/order/start", {{"input", {{"total", 5}}}, {"kind", "code"}});
    ASSERT_EQ(started.status, 201) << started.json;
    EXPECT_EQ(started.json["run"]["kind"], "code");
    run = "/runs/" + started.json["run"]["id"].get<std::string>();
  }
  void claim() {
    const Json asked{{"worker_id", "w"}, {"types", {"workflow:order"}}, {"max", 1}, {"wait", "20s"}};
    const Got claimed = send("/tasks/claim", asked);
    ASSERT_EQ(claimed.json["tasks"].size(), 1U) << claimed.json;
    body = claimed.json["tasks"][0];
    fence = body["lease"]["fence"];
  }
  [[nodiscard]] Got step(const std::string& id, const std::string& action,
                         Json fields = Json::object()) const {
    fields["fence"] = fence;
    return send(run + "/steps/" + id + "/" + action, fields);
  }

  std::string run;
  Json body;
  int fence = 0;
};

TEST_F(Steps, AStepIsCompletedAndNeverExecutedAgain) {
  start();
  claim();
  EXPECT_EQ(body["steps"], Json::array());
  EXPECT_EQ(body["signals"], Json::array());
  const Got begun = step("charge", "begin", {{"kind", "function"}, {"input", 5}});
  EXPECT_EQ(begun.status, 200) << begun.json;
  EXPECT_EQ(begun.json["should_execute"], true);
  EXPECT_EQ(begun.json["attempt"], 1);
  EXPECT_EQ(begun.json["operation_key"], body["run_id"].get<std::string>() + ":charge");
  EXPECT_EQ(step("charge", "complete", {{"output", {{"id", 7}}}}).status, 200);
  const Got again = step("charge", "begin");
  EXPECT_EQ(again.json["should_execute"], false);
  EXPECT_EQ(again.json["output"]["id"], 7);
  EXPECT_EQ(step("charge", "complete", {{"output", 8}}).json["output"]["id"], 7);
  const Got listed = read(run + "/steps");
  ASSERT_EQ(listed.json["items"].size(), 1U) << listed.json;
  EXPECT_EQ(listed.json["items"][0]["is_latest"], true);
  EXPECT_EQ(listed.json["items"][0]["status"], "completed");
  EXPECT_EQ(listed.json["items"][0]["input"], 5);
  EXPECT_EQ(read(run + "?include=steps").json["steps"], listed.json["items"]);
}

TEST_F(Steps, AFailureReturnsTheTimeOfItsRetry) {
  start();
  claim();
  const Json error{{"code", "busy"}, {"message", "later"}};
  const Got failed = step("charge", "fail", {{"error", error}, {"retry_after", "1h"}});
  EXPECT_EQ(failed.json["scheduled_retry"], true) << failed.json;
  EXPECT_TRUE(failed.json["retry_at"].is_string());
  EXPECT_EQ(step("charge", "begin").json["should_execute"], false);
  const Json final_error{{"code", "gone"}, {"message", "never"}, {"retryable", false}};
  EXPECT_EQ(step("charge", "fail", {{"error", final_error}}).json["scheduled_retry"], false);
  EXPECT_EQ(step("charge", "begin").json["error"]["code"], "gone");
}

TEST_F(Steps, ASuspendedBodyResumesWithItsStepsAndSignals) {
  start();
  claim();
  EXPECT_EQ(step("a", "complete", {{"output", 1}}).status, 200);
  const Got suspended = send(run + "/suspend", {{"fence", fence}, {"signals", {"go"}}});
  EXPECT_EQ(suspended.status, 200) << suspended.json;
  EXPECT_EQ(suspended.json["suspended"], true);
  EXPECT_EQ(read(run).json["state"], "sleeping");
  EXPECT_EQ(step("b", "complete", {{"output", 1}}).json["code"], "stale_lease");
  EXPECT_EQ(send(run + "/signals/go", {{"payload", 9}}).status, 200);
  claim();
  ASSERT_EQ(body["steps"].size(), 1U);
  EXPECT_EQ(body["steps"][0]["step_id"], "a");
  EXPECT_EQ(body["steps"][0]["output"], 1);
  EXPECT_EQ(body["signals"][0]["payload"], 9);
  const Got got = step("wait", "begin", {{"kind", "signal"}, {"input", {{"signal", "go"}}}});
  EXPECT_EQ(got.json["output"], 9) << got.json;
  const Json done{{"worker_id", "w"}, {"fence", fence}, {"output", "done"}};
  EXPECT_EQ(send("/tasks/" + body["id"].get<std::string>() + "/complete", done).status, 200);
  EXPECT_EQ(read(run).json["state"], "completed");
  EXPECT_EQ(read(run).json["output"], "done");
}

TEST_F(Steps, AnAttemptThatCannotBeginIsRejectedByField) {
  start();
  claim();
  const Got refused = step("a", "begin", {{"attempt", 3}});
  ASSERT_EQ(refused.status, 400) << refused.json;
  EXPECT_EQ(refused.json["errors"][0]["field"], "attempt");
  EXPECT_EQ(refused.json["detail"],
            "attempt: 3 cannot begin: the run has no step 'a', so its first attempt is 1");
  EXPECT_EQ(step("a", "begin", {{"attempt", 1}}).json["should_execute"], true);
  const Got other = step("a", "begin", {{"attempt", 3}});
  EXPECT_EQ(other.json["should_execute"], false) << other.json;
  EXPECT_EQ(other.json["attempt"], 1);
}

TEST_F(Steps, AnInvalidStepIsRejectedByField) {
  start();
  claim();
  const Got ended = step("a", "complete", {{"kind", "sleep"}, {"output", 1}});
  EXPECT_EQ(ended.json["detail"],
            "kind: ends automatically: report only functions, compensations and markers");
  EXPECT_EQ(step("a", "begin", {{"kind", "magic"}}).json["errors"][0]["field"], "kind");
  EXPECT_EQ(step("a", "begin", {{"kind", "sleep"}}).json["errors"][0]["field"], "input");
  EXPECT_EQ(step("a", "complete", {{"output", 1}, {"more", 1}}).json["errors"][0]["field"], "more");
  EXPECT_EQ(send(run + "/steps/a/complete", {{"output", 1}}).json["errors"][0]["field"], "fence");
  EXPECT_EQ(send(run + "/steps/a/complete", {{"output", 1}, {"fence", fence + 1}}).json["code"],
            "stale_lease");
  EXPECT_EQ(send(run + "/suspend", {{"fence", fence}, {"children", {"x"}}}).json["errors"][0]["field"],
            "children");
  EXPECT_EQ(read(run + "/steps").json["items"].size(), 0U);
}

}  // namespace
}  // namespace pawl::testing
