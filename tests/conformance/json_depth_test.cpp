// A user's JSON value may be nested 64 deep wherever it is accepted, and what was accepted can be read,
// whatever wraps it: requests, events and answers. One level more is refused, with the name of the field.
#include "tests/conformance/code_steps.hpp"
#include "tests/conformance/schedule_steps.hpp"

namespace pawl::testing {
namespace {

using core::ReportAction;
using core::RunState;
using core::StepKind;
using namespace std::chrono_literals;

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }
const std::string kDeepest = nested(core::kJsonDepthMax);
const std::string kTooDeep = nested(core::kJsonDepthMax + 1);

template <typename T>
void expect_too_deep(const core::Result<T>& answer, const std::string& field) {
  ASSERT_FALSE(answer.ok()) << field;
  EXPECT_EQ(answer.problem().code, core::ProblemCode::invalid_argument);
  EXPECT_NE(answer.problem().detail.find("nested deeper than 64"), std::string::npos)
      << answer.problem().detail;
  ASSERT_EQ(answer.problem().errors.size(), 1U) << answer.problem().detail;
  EXPECT_EQ(answer.problem().errors.at(0).field, field);
}

// Each test ends with a replay and a verification of all runs.
class JsonDepth : public CodeRunTest {};

TEST_P(JsonDepth, OfPayloadsAndOutputs) {
  expect_too_deep(api().enqueue("default", task_of("t", kTooDeep)), "payload");
  enqueue(task_of("t", kDeepest));
  const core::Task task = claim_one();
  EXPECT_EQ(task.payload.text, kDeepest);
  core::Report done = report_of(task, ReportAction::complete);
  done.output = {kTooDeep};
  expect_too_deep(report("w1", done), "reports[0].output");
  done.output = {kDeepest};
  ASSERT_TRUE(report("w1", done).ok());
  EXPECT_EQ(get(task.id).task.output.text, kDeepest);
  EXPECT_EQ(list({}).at(0).id, task.id);
}

TEST_P(JsonDepth, OfCheckpoints) {
  const core::TaskId task = enqueue(task_of("t")).id;
  expect_too_deep(api().append_checkpoint({.owner = task, .snapshot = {kTooDeep}}), "snapshot");
  expect_too_deep(api().append_checkpoint({.owner = task, .snapshot = {"1"}, .metadata = {kTooDeep}}),
                  "metadata");
  ASSERT_TRUE(api().append_checkpoint({.owner = task, .snapshot = {kDeepest}, .metadata = {kDeepest}}).ok());
  const auto all = api().list_checkpoints({.owner = task});
  ASSERT_TRUE(all.ok()) << all.problem().detail;
  EXPECT_EQ(all->at(0).snapshot.text, kDeepest);
  EXPECT_EQ(all->at(0).metadata.text, kDeepest);
}

TEST_P(JsonDepth, OfKeptResponses) {
  ASSERT_TRUE(api().begin_idempotency({.key = "k", .request_hash = "h"}).ok());
  expect_too_deep(api().complete_idempotency({.key = "k", .response = {kTooDeep}}), "response");
  ASSERT_TRUE(api().complete_idempotency({.key = "k", .response = {kDeepest}}).ok());
  EXPECT_EQ(api().get_idempotency("default", "k")->response.text, kDeepest);
}

TEST_P(JsonDepth, OfSchemas) {
  const auto schema = [](const std::string& value) { return core::RawJson{R"({"enum":[)" + value + "]}"}; };
  expect_too_deep(api().put_type({.type = {.name = "t", .schema = schema(nested(63))}}), "schema");
  ASSERT_TRUE(api().put_type({.type = {.name = "t", .schema = schema(nested(62))}}).ok());
  EXPECT_EQ(api().get_type("default", "t")->schema, schema(nested(62)));
  enqueue(task_of("t", nested(62)));
}

TEST_P(JsonDepth, OfTheInputAndOutputOfAGraphRun) {
  define("g", R"({"id":"a","activity":"t"})", R"(,"output":{"$ref":"#/tasks/a/output"})");
  expect_too_deep(runs().start_run({.workflow = "g", .input = {kTooDeep}}), "input");
  const core::RunId run = start("g", kDeepest);
  act(run, core::RunAction::pause);
  act(run, core::RunAction::resume);
  EXPECT_EQ(run_of(run).facts.input.text, kDeepest);
  EXPECT_EQ(events(run).at(0).data.run->input.text, kDeepest);
  complete_node("a", kDeepest);
  EXPECT_EQ(run_of(run).output.text, kDeepest);
  EXPECT_EQ(node_of(run, "a").output.text, kDeepest);
  EXPECT_EQ(runs().list_runs({})->items.size(), 1U);
}

TEST_P(JsonDepth, OfTheInputOfAnOpenRun) {
  expect_too_deep(runs().open_run({.workflow = "o", .input = {kTooDeep}}), "input");
  const auto opened = runs().open_run({.workflow = "o", .input = {kDeepest}});
  ASSERT_TRUE(opened.ok()) << opened.problem().detail;
  EXPECT_EQ(run_of(opened->run.facts.id).facts.input.text, kDeepest);
}

// The engine wraps values as well: a run without a template gets the outputs by the ids of its tasks.
TEST_P(JsonDepth, OfAnOutputThatTheEngineMakes) {
  define("g", R"({"id":"a","activity":"t"})");
  const core::RunId fits = start("g");
  complete_node("a", nested(63));
  EXPECT_EQ(run_of(fits).output.text, R"({"a":)" + nested(63) + "}");
  const core::RunId deeper = start("g");
  complete_node("a", kDeepest);
  EXPECT_EQ(state_of(deeper), RunState::completed);
  EXPECT_TRUE(run_of(deeper).output.empty()) << run_of(deeper).output.text;
  EXPECT_EQ(node_of(deeper, "a").output.text, kDeepest);
}

TEST_P(JsonDepth, OfTheOutputsOfElements) {
  define("g", R"({"id":"a","activity":"t","for_each":{"$ref":"#/input"},"input":{"$ref":"#/item"}})",
         R"(,"output":{"$ref":"#/tasks/a/output"})");
  const core::RunId fits = start("g", kDeepest);
  const core::Task element = claim_one();
  EXPECT_EQ(element.payload.text, nested(63));
  core::Report done = report_of(element, ReportAction::complete);
  done.output = {nested(63)};
  ASSERT_TRUE(report("w1", done).ok());
  EXPECT_EQ(run_of(fits).output.text, kDeepest);
  const core::RunId deeper = start("g", "[1]");
  done = report_of(claim_one(), ReportAction::complete);
  done.output = {kDeepest};
  ASSERT_TRUE(report("w1", done).ok());
  const core::Run failed = run_of(deeper);
  EXPECT_EQ(failed.state, RunState::failed);
  ASSERT_TRUE(node_of(deeper, "a").error);
  EXPECT_EQ(node_of(deeper, "a").error->message, "the outputs are nested deeper than 64");
}

TEST_P(JsonDepth, OfSignals) {
  define("g", R"({"id":"a","type":"signal","signal":"go"})", R"(,"output":{"$ref":"#/tasks/a/output"})");
  const core::RunId run = start("g");
  expect_too_deep(runs().signal_run({.run = {.id = run}, .signal = {.name = "go", .payload = {kTooDeep}}}),
                  "payload");
  signal(run, "go", kDeepest);
  EXPECT_EQ(run_of(run).output.text, kDeepest);
  EXPECT_EQ(node_of(run, "a").output.text, kDeepest);
  EXPECT_FALSE(events(run).empty());
}

TEST_P(JsonDepth, OfChildren) {
  define("inner", R"({"id":"a","activity":"t"})", R"(,"output":{"$ref":"#/tasks/a/output"})");
  define("outer", R"({"id":"c","type":"workflow","workflow":"inner"})",
         R"(,"output":{"$ref":"#/tasks/c/output"})");
  const core::RunId run = start("outer", kDeepest);
  tick();
  complete_node("a", kDeepest);
  tick();
  EXPECT_EQ(run_of(run).output.text, kDeepest);
}

TEST_P(JsonDepth, OfStepsAndTheirChildren) {
  expect_too_deep(runs().start_run({.workflow = "c", .input = {kTooDeep}, .kind = core::RunKind::code}),
                  "input");
  const core::RunId run = start_code("c", kDeepest);
  const core::ClaimedTask body = claim_body(run);
  EXPECT_EQ(body.task.payload.text, kDeepest);
  core::StepWrite one = begin("f");
  one.input = {kTooDeep};
  expect_too_deep(write(body, {one}), "input");
  one.input = {kDeepest};
  ASSERT_TRUE(write(body, {one}).ok());
  expect_too_deep(write(body, {{.step_id = "f", .output = {kTooDeep}}}), "output");
  complete_step(body, "f", kDeepest);
  core::StepWrite child = begin("child", StepKind::child);
  child.child = core::ChildSpec{.workflow = "inner", .input = {kTooDeep}};
  expect_too_deep(write(body, {child}), "input.input");
  define("inner", R"({"id":"a","activity":"t"})", R"(,"output":{"$ref":"#/tasks/a/output"})");
  child.child->input = {kDeepest};
  core::StepWrite task = begin("task", StepKind::task);
  task.task = task_of("t", kTooDeep);
  expect_too_deep(write(body, {task}), "payload");
  task.task->payload = {kDeepest};
  ASSERT_TRUE(write(body, {child, task}, core::SuspendBody{.steps = {"child"}}).ok());
  tick();
  complete_node("a", kDeepest);
  tick();
  const core::ClaimedTask again = claim_body(run);
  for (const core::StepMemo& memo : again.memo->steps)
    EXPECT_EQ(memo.output.text, memo.step_id == "task" ? "" : kDeepest) << memo.step_id;
  EXPECT_FALSE(events(run).empty());
  complete_body(again, kDeepest);
  EXPECT_EQ(run_of(run).output.text, kDeepest);
}

TEST_P(JsonDepth, OfTheInputOfAContinuedRun) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  core::Report next{.task_id = body.task.id,
                    .fence = body.task.lease->fence,
                    .action = ReportAction::complete,
                    .continue_as_new = core::RawJson{kTooDeep}};
  expect_too_deep(report("w1", next), "reports[0].continue_as_new");
  next.continue_as_new = core::RawJson{kDeepest};
  ASSERT_TRUE(report("w1", next).ok());
  EXPECT_EQ(run_of(*run_of(run).continued_as).facts.input.text, kDeepest);
}

PAWL_ON_EVERY_STORE(JsonDepth);

using JsonDepthOfSchedules = ScheduleTest;

TEST_P(JsonDepthOfSchedules, OfInputsAndPayloads) {
  const std::string text = R"({"name":"g","tasks":[{"id":"a","activity":"t"}]})";
  ASSERT_TRUE(runs().put_definition({.name = "g", .text = text}).ok());
  EXPECT_EQ(refused({.name = "s", .every = 10s, .workflow = "g", .input = {kTooDeep}}).errors.at(0).field,
            "input");
  EXPECT_EQ(refused({.name = "s", .every = 10s, .task = task_of("t", kTooDeep)}).errors.at(0).field,
            "task.payload");
  EXPECT_EQ(create({.name = "s", .every = 10s, .workflow = "g", .input = {kDeepest}}).input.text, kDeepest);
  create({.name = "p", .every = 10s, .task = task_of("t", kDeepest)});
  advance(10s);
  const auto started = runs().list_runs({});
  ASSERT_TRUE(started.ok()) << started.problem().detail;
  ASSERT_EQ(started->items.size(), 1U);
  EXPECT_EQ(runs().get_run({.id = started->items.at(0).facts.id})->facts.input.text, kDeepest);
  for (const core::Task& task : tasks()) EXPECT_EQ(get(task.id).task.type, "t");
}

PAWL_ON_EVERY_STORE(JsonDepthOfSchedules);

}  // namespace
}  // namespace pawl::testing
