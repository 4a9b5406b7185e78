// Runs as JSON: the client reads what the server writes, and unknown values are refused by name.
#include "wire/run.hpp"

#include <gtest/gtest.h>

#include "wire/definition.hpp"
#include "wire/run_read.hpp"

namespace pawl::wire {
namespace {

using namespace std::chrono_literals;

core::RunId run_id() { return core::RunId{*core::parse_uuid("0198c0de-0000-7000-8000-000000000001")}; }
core::TaskId task_id() { return core::TaskId{*core::parse_uuid("0198c0de-0000-7000-8000-000000000002")}; }

template <typename Read>
auto read_text(const std::string& text, Read read) {
  Mistakes mistakes;
  ObjectReader in{text, "", mistakes};
  auto value = read(in);
  EXPECT_FALSE(mistakes.any()) << mistakes.problem().detail;
  return value;
}

template <typename Read>
std::string refusal(const std::string& text, Read read) {
  Mistakes mistakes;
  ObjectReader in{text, "", mistakes};
  (void)read(in);
  in.finish();
  return mistakes.any() ? mistakes.problem().detail : "";
}

template <typename Write, typename Value>
std::string written(Write write, const Value& value) {
  Writer out;
  write(out, value);
  return out.take();
}

core::Run a_run() {
  core::Run run;
  run.facts = {.id = run_id(),
               .ns = "orders",
               .workflow = "order-fulfilment",
               .version = 3,
               .run_key = "order-7",
               .input = {R"({"total":12345678901234567890})"},
               .labels = {{"tier", "gold"}}};
  run.facts.parent = core::RunParent{.run_id = run_id(), .node_id = "notify"};
  run.state = core::RunState::running;
  run.sequence = 12;
  run.error = core::TaskError{.code = "boom", .message = "it broke", .retryable = false};
  run.counts = {.blocked = 1, .pending = 2, .running = 3, .waiting = 4, .completed = 5, .failed = 6};
  run.retrying = 1;
  run.created_at = core::TimePoint{1s};
  run.started_at = core::TimePoint{2s};
  run.updated_at = core::TimePoint{3s};
  return run;
}

TEST(RunJson, HasTheDocumentedFieldsInOrder) {
  const std::string text = written(write_run, a_run());
  EXPECT_EQ(
      text,
      R"({"id":"0198c0de-0000-7000-8000-000000000001","namespace":"orders","workflow":"order-fulfilment","version":3,)"
      R"("kind":"graph","run_key":"order-7","state":"running","custom_status":null,"input":{"total":12345678901234567890},)"
      R"("output":null,"error":{"code":"boom","message":"it broke","retryable":false},)"
      R"("parent":{"run_id":"0198c0de-0000-7000-8000-000000000001","node_id":"notify"},"deadline_at":null,"wake_at":null,)"
      R"("labels":{"tier":"gold"},"sequence":12,)"
      R"("counts":{"blocked":1,"pending":2,"running":3,"completed":5,"failed":6,"waiting":4,"skipped":0,"cancelled":0},)"
      R"("created_at":"1970-01-01T00:00:01.000000Z","started_at":"1970-01-01T00:00:02.000000Z","finished_at":null,)"
      R"("updated_at":"1970-01-01T00:00:03.000000Z","retrying":1})");
}

TEST(RunJson, RoundTrips) {
  const core::Run run = a_run();
  EXPECT_EQ(read_text(written(write_run, run), read_run), run);
  const core::RunStarted started =
      read_text(written(write_run_started, core::RunStarted{.created = true, .run = run}), read_run_started);
  EXPECT_TRUE(started.created);
  EXPECT_EQ(started.run, run);
}

TEST(RunJson, KeepsTheOrderAndTheElementsOfTasks) {
  core::RunView view{.run = a_run()};
  view.definition = *core::parse_definition(
      R"({"name":"w","tasks":[{"id":"a","activity":"t"},{"id":"b","activity":"t","for_each":[1,2]},{"id":"c","activity":"t"}]})");
  view.nodes = {{.key = {.index = 0}, .state = core::NodeState::completed, .output = {"7"}},
                {.key = {.index = 1}, .state = core::NodeState::waiting, .items = 2, .items_left = 1},
                {.key = {.index = 1, .item = 0}, .state = core::NodeState::running, .attempt = 2},
                {.key = {.index = 1, .item = 1}, .state = core::NodeState::failed},
                {.key = {.index = 2}}};
  view.nodes[2].task_id = task_id();
  view.nodes[3].error = core::TaskError{.code = "boom", .message = "no"};
  Writer out;
  out.begin_object().key("tasks");
  write_run_tasks(out, view);
  const std::string text = out.end_object().take();
  EXPECT_EQ(read_text(text, read_run_tasks), view.nodes);
  EXPECT_NE(text.find(R"({"id":"b[0]","node_id":"b","item":0,"type":"activity","state":"running")"),
            std::string::npos)
      << text;
}

TEST(RunJson, RoundTripsEvents) {
  core::RunEvent event{.sequence = 4,
                       .type = core::RunEventType::task_failed,
                       .at = core::TimePoint{5s},
                       .caused_by = 3,
                       .actor = {.type = "worker", .id = "w1"},
                       .trace_id = "0af7651916cd43dd8448eb211c80319c",
                       .span_id = "b7ad6b7169203331"};
  event.data = {.node = core::NodeKey{.index = 2}, .node_id = "ship", .attempt = 2};
  Writer out;
  write_run_event(out, run_id(), event);
  const std::string text = out.take();
  EXPECT_EQ(
      text,
      R"({"sequence":4,"event_id":")" + core::event_id(run_id(), event) +
          R"(","type":"task_failed",)"
          R"("at":"1970-01-01T00:00:05.000000Z","payload":{"node_id":"ship","node":[2],"attempt":2},"caused_by":3,)"
          R"("actor":{"type":"worker","id":"w1"},"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"})");
  EXPECT_EQ(read_text(text, read_run_event), event);
}

TEST(RunJson, OfAReplayReportsWhetherItMatches) {
  core::RunReplay replay;
  replay.rebuilt.run = a_run();
  EXPECT_NE(written(write_replay, replay).find(R"("matches":true,"differences":[]})"), std::string::npos);
  replay.differences = {"state: running, stored: failed"};
  const std::string text = written(write_replay, replay);
  EXPECT_NE(text.find(R"("matches":false,"differences":["state: running, stored: failed"]})"),
            std::string::npos);
  EXPECT_EQ(read_text(text, read_replay).differences, replay.differences);
}

TEST(RunRequests, RoundTrip) {
  core::StartRun start{.run_key = "k", .input = {"[1]"}, .version = 2, .queue = "q", .priority = -3};
  start.deadline = 1h;
  start.labels = {{"a", "b"}};
  start.on_conflict = core::OnConflict::restart_if_closed;
  const core::StartRun read = read_text(written(write_start_run, start), read_start_run);
  EXPECT_EQ(read.run_key, start.run_key);
  EXPECT_EQ(read.input, start.input);
  EXPECT_EQ(read.version, start.version);
  EXPECT_EQ(read.queue, start.queue);
  EXPECT_EQ(read.priority, start.priority);
  EXPECT_EQ(read.deadline, start.deadline);
  EXPECT_EQ(read.labels, start.labels);
  EXPECT_EQ(read.on_conflict, start.on_conflict);

  const core::OpenRun open = read_text(
      written(write_open_run, core::OpenRun{.workflow = "batch", .auto_complete = true}), read_open_run);
  EXPECT_EQ(open.workflow, "batch");
  EXPECT_TRUE(open.auto_complete);

  core::BulkRuns bulk{.reason = "deploy", .limit = 7, .dry_run = true};
  bulk.query = {
      .states = {core::RunState::failed, core::RunState::paused}, .workflow = "w", .parent = run_id()};
  bulk.query.label = {"tier", "gold"};
  const core::BulkRuns bulk_read = read_text(written(write_bulk_runs, bulk), read_bulk_runs);
  EXPECT_EQ(bulk_read.query.states, bulk.query.states);
  EXPECT_EQ(bulk_read.query.parent, bulk.query.parent);
  EXPECT_EQ(bulk_read.query.label, bulk.query.label);
  EXPECT_EQ(bulk_read.limit, 7);
  EXPECT_TRUE(bulk_read.dry_run);
}

TEST(RunRequests, AreRejectedWithTheInvalidField) {
  EXPECT_EQ(refusal(R"({"inptu":1})", read_start_run), "inptu is not a known field");
  EXPECT_EQ(refusal(R"({"version":"1"})", read_start_run), "version must be a number, not a string");
  EXPECT_EQ(refusal(R"({"on_conflict":"replace"})", read_start_run),
            "on_conflict must be return_existing, fail or restart_if_closed");
  EXPECT_EQ(refusal(R"({"deadline":"1h","deadline_at":"2026-01-29T10:00:00Z"})", read_start_run),
            "deadline_at cannot be given with deadline");
  EXPECT_EQ(refusal(R"({"queue":"q"})", read_open_run), "queue is not a known field");
  EXPECT_EQ(refusal(R"({"filter":{"state":"done"}})", read_bulk_runs),
            "filter.state 'done' is not a state of runs");
  EXPECT_EQ(refusal(R"({"name":"x"})", read_signal), "name is not a known field");
}

TEST(DefinitionText, IsParsedByItsContentType) {
  EXPECT_EQ(*definition_json("{}", "application/json"), "{}");
  EXPECT_EQ(*definition_json("a: 1", "application/yaml; charset=utf-8"), R"({"a":1})");
  const auto wrong = definition_json("{\n\"a\":\n1,,}", "");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.problem().errors.at(0).line, 3);
}

}  // namespace
}  // namespace pawl::wire
