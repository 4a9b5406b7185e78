// A request's trace is forwarded to the workers of the tasks that it creates. Covers the header cases of the
// W3C's suite (github.com/w3c/trace-context); tests/wire covers its values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/server/json_fixture.hpp"

namespace pawl::testing {
namespace {

constexpr std::string_view kParent = "00-12345678901234567890123456789012-1234567890123456-01";

class Traces : public JsonServerTest {
 protected:
  [[nodiscard]] Json enqueued(const std::string& fields) const {
    return ask(post("/v1/default/tasks", R"({"type":"t"})", fields)).json["task"];
  }
  [[nodiscard]] std::string parent_with(const std::string& fields) const {
    return enqueued(fields).value("traceparent", "");
  }
  [[nodiscard]] std::string state_with(const std::string& fields) const {
    return enqueued(fmt::format("traceparent: {}\r\n{}", kParent, fields)).value("tracestate", "");
  }
};

TEST_F(Traces, AreShownInTheTaskAndToItsWorker) {
  const std::string fields = fmt::format("traceparent: {}\r\ntracestate: foo=1,bar=2\r\n", kParent);
  const std::string id = enqueued(fields)["id"];
  const Json claimed = send("/tasks/claim", {{"worker_id", "w"}}).json["tasks"][0];
  const Json read_again = read("/tasks/" + id).json;
  const Json listed = read("/tasks").json["items"][0];
  for (const Json& shown : {claimed, read_again, listed}) {
    EXPECT_EQ(shown["id"], id);
    EXPECT_EQ(shown.value("traceparent", ""), kParent) << shown;
    EXPECT_EQ(shown.value("tracestate", ""), "foo=1,bar=2") << shown;
  }
}

TEST_F(Traces, OfABatchApplyToAllItsTasks) {
  const Got made = ask(post("/v1/default/tasks/batch", R"({"tasks":[{"type":"t"},{"type":"t","key":"k"}]})",
                            fmt::format("traceparent: {}\r\n", kParent)));
  for (const Json& result : made.json["results"])
    EXPECT_EQ(read("/tasks/" + result["id"].get<std::string>()).json.value("traceparent", ""), kParent);
}

TEST_F(Traces, OfARunReachItsTasksUnchanged) {
  const std::string unsampled = "00-12345678901234567890123456789012-1234567890123456-00";
  const Got started = ask(post("/v1/default/workflows/w/start", R"({"kind":"code"})",
                               fmt::format("traceparent: {}\r\ntracestate: v=1\r\n", unsampled)));
  ASSERT_EQ(started.status, 201) << started.json;
  const Got opened = ask(post("/v1/default/runs", "{}", fmt::format("traceparent: {}\r\n", unsampled)));
  const Json body = read("/tasks?run_id=" + started.json["run"]["id"].get<std::string>()).json["items"][0];
  const Json added = send("/tasks", {{"type", "t"}, {"run_id", opened.json["run"]["id"]}}).json["task"];
  for (const Json& task : {body, added}) EXPECT_EQ(task.value("traceparent", ""), unsampled) << task;
  EXPECT_EQ(body.value("tracestate", ""), "v=1") << body;
  EXPECT_FALSE(added.contains("tracestate")) << added;
}

TEST_F(Traces, AreAbsentWithoutTheHeader) {
  const Json task = enqueued("");
  EXPECT_FALSE(task.contains("traceparent")) << task;
  EXPECT_FALSE(task.contains("tracestate")) << task;
}

TEST_F(Traces, AreReadFromTheHeaderInAnyCase) {
  for (const char* name : {"traceparent", "TraceParent", "TrAcEpArEnT", "TRACEPARENT"})
    EXPECT_EQ(parent_with(fmt::format("{}: {}\r\n", name, kParent)), kParent) << name;
  for (const char* name : {"trace-parent", "trace.parent"})
    EXPECT_EQ(parent_with(fmt::format("{}: {}\r\n", name, kParent)), "") << name;
  for (const char* name : {"tracestate", "TraceState", "TrAcEsTaTe", "TRACESTATE"})
    EXPECT_EQ(state_with(fmt::format("{}: foo=1\r\n", name)), "foo=1") << name;
  for (const char* name : {"trace-state", "trace.state"})
    EXPECT_EQ(state_with(fmt::format("{}: foo=1\r\n", name)), "") << name;
}

TEST_F(Traces, AreTrimmed) {
  for (const auto& [before, behind] : std::vector<std::pair<std::string, std::string>>{
           {" ", ""}, {"\t", ""}, {"", " "}, {"", "\t"}, {"\t ", " \t"}}) {
    EXPECT_EQ(parent_with(fmt::format("traceparent:{}{}{}\r\n", before, kParent, behind)), kParent);
    EXPECT_EQ(state_with(fmt::format("tracestate:{}foo=1{}\r\n", before, behind)), "foo=1");
  }
}

TEST_F(Traces, OfTwoParentsAreIgnored) {
  const std::string other = "00-12345678901234567890123456789011-1234567890123456-01";
  EXPECT_EQ(parent_with(fmt::format("traceparent: {}\r\ntraceparent: {}\r\n", other, kParent)), "");
  EXPECT_EQ(parent_with(fmt::format("traceparent: {}\r\ntraceparent:\r\n", kParent)), "");
  const Got started = ask(post("/v1/default/workflows/w/start", R"({"kind":"code"})",
                               fmt::format("traceparent: {}\r\ntraceparent: {}\r\n", other, kParent)));
  EXPECT_EQ(started.status, 201) << "a trace is no reason to refuse a request";
}

TEST_F(Traces, HaveAStateOnlyWithAParent) {
  EXPECT_FALSE(enqueued("tracestate: foo=1\r\n").contains("tracestate"));
  EXPECT_FALSE(enqueued("traceparent: 00-0-0-00\r\ntracestate: foo=1\r\n").contains("tracestate"));
}

TEST_F(Traces, HaveTheStatesOfAllHeaders) {
  EXPECT_EQ(state_with("tracestate:\r\n"), "");
  EXPECT_EQ(state_with("tracestate: foo=1\r\ntracestate:\r\n"), "foo=1");
  EXPECT_EQ(state_with("tracestate:\r\ntracestate: foo=1\r\n"), "foo=1");
  EXPECT_EQ(state_with("tracestate: foo=1,bar=2\r\ntracestate: rojo=1,congo=2\r\ntracestate: baz=3\r\n"),
            "foo=1,bar=2,rojo=1,congo=2,baz=3");
  EXPECT_EQ(state_with("tracestate: foo=1\r\ntracestate: foo=2\r\n"), "");
}

}  // namespace
}  // namespace pawl::testing
