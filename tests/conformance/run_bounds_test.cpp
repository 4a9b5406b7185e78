// Bounds on the cost that one request can cause, on every store: trees of runs, fan-outs, and copied inputs.
#include <set>

#include <fmt/format.h>

#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunState;

class RunBounds : public CodeRunTest {
 public:
  [[nodiscard]] std::vector<core::Run> all_runs() {
    std::vector<core::Run> runs;
    core::ListRuns call{.limit = 500};
    for (;;) {
      auto page = this->runs().list_runs(call);
      EXPECT_TRUE(page.ok());
      runs.insert(runs.end(), page->items.begin(), page->items.end());
      if (!page->next_cursor) return runs;
      call.cursor = *page->next_cursor;
    }
  }
  // One commit of due work.
  void tick_once() { (void)engine().sweeper().tick(1'000); }
  static std::string numbers(int count) {
    std::string list = "[0";
    for (int i = 1; i < count; ++i) list += fmt::format(",{}", i);
    return list + "]";
  }
};

TEST_P(RunBounds, FailARecursiveWorkflowAtTheDepthLimit) {
  define("loop", R"({"id":"again","type":"workflow","workflow":"loop"})");
  const core::RunId run = start("loop");
  tick();
  const core::Run root = run_of(run);
  EXPECT_EQ(root.state, RunState::failed);
  EXPECT_EQ(root.error->code, "limit_exceeded");
  EXPECT_NE(root.error->message.find("65 runs deep, limits.child_depth allows 64"), std::string::npos)
      << root.error->message;
  EXPECT_EQ(all_runs().size(), 65U);
}

TEST_P(RunBounds, LimitTheRunsThatOneCommitStarts) {
  define("tree",
         R"({"id":"a","type":"workflow","workflow":"tree"},{"id":"b","type":"workflow","workflow":"tree"})");
  const core::RunId run = start("tree");
  std::size_t before = all_runs().size();
  EXPECT_LE(before, 110U);
  for (int commit = 0; commit < 3; ++commit) {
    tick_once();
    const std::size_t now = all_runs().size();
    EXPECT_GT(now, before) << "it goes on";
    EXPECT_LE(now, before + 110);
    before = now;
  }
  act(run, core::RunAction::cancel);
  EXPECT_EQ(state_of(run), RunState::cancelled);
  tick();
  for (const core::Run& one : all_runs()) EXPECT_TRUE(core::is_closed(one.state)) << to_string(one.state);
}

TEST_P(RunBounds, EndATerminatedTreeInPages) {
  define("tree", R"({"id":"a","type":"workflow","workflow":"tree","for_each":[1,2,3,4]})");
  const core::RunId run = start("tree");
  tick_once();
  act(run, core::RunAction::terminate);
  EXPECT_EQ(state_of(run), RunState::cancelled);
  tick();
  for (const core::Run& one : all_runs()) EXPECT_EQ(one.state, RunState::cancelled);
}

TEST_P(RunBounds, FailMutuallyRecursiveWorkflowsAtTheDepthLimit) {
  for (const auto& [name, other] : {std::pair{"ping", "pong"}, std::pair{"pong", "ping"}}) {
    define(name, fmt::format(R"({{"id":"nap","type":"sleep","duration":"100ms"}},
                                {{"id":"a","type":"workflow","workflow":"{}","after":["nap"]}})",
                             other));
  }
  const core::RunId run = start("ping");
  for (int i = 0; i < 70 && !core::is_closed(state_of(run)); ++i) {
    clock.advance(100ms);
    tick();
  }
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(all_runs().size(), 65U);
}

TEST_P(RunBounds, FailTheStepOfACodeChildThatIsTooDeep) {
  core::RunId run = start_code();
  for (int depth = 0; depth < 64; ++depth) {
    const core::ClaimedTask body = claim_body(run);
    const core::StepAnswer begun = step(body, {.action = core::StepAction::begin,
                                               .step_id = "child",
                                               .kind = core::StepKind::child,
                                               .child = core::ChildSpec{.workflow = "order"}});
    ASSERT_TRUE(begun.now.child_id) << depth;
    run = *begun.now.child_id;
  }
  const core::ClaimedTask body = claim_body(run);
  const core::StepAnswer refused = step(body, {.action = core::StepAction::begin,
                                               .step_id = "child",
                                               .kind = core::StepKind::child,
                                               .child = core::ChildSpec{.workflow = "order"}});
  ASSERT_TRUE(refused.now.error);
  EXPECT_EQ(refused.now.error->code, "limit_exceeded");
}

TEST_P(RunBounds, StartAFanOutInPages) {
  define("fan", R"({"id":"each","activity":"t","for_each":{"$ref":"#/input"},"input":{"$ref":"#/item"}})");
  const core::RunId run = start("fan", numbers(2'500));
  EXPECT_EQ(queue().counts.pending, 2'000);
  tick();
  EXPECT_EQ(queue().counts.pending, 2'500);
  std::set<std::string> payloads;
  for (auto tasks = claim("w1", 1'000, 1h); !tasks.empty(); tasks = claim("w1", 1'000, 1h)) {
    core::ReportTasks reports{.worker_id = "w1"};
    for (const core::ClaimedTask& one : tasks) {
      payloads.insert(one.task.payload.text);
      reports.reports.push_back(report_of(one.task, core::ReportAction::complete));
    }
    ASSERT_TRUE(node().api().report(std::move(reports)).ok());
  }
  EXPECT_EQ(payloads.size(), 2'500U);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunBounds, FailAFanOutWithTooManyReferencesBeforeItStarts) {
  std::string input;
  for (int i = 0; i < 100; ++i)
    input += fmt::format(R"({}"f{}":{{"$ref":"#/input/value"}})", i == 0 ? "" : ",", i);
  define("product",
         R"({"id":"each","activity":"t","for_each":{"$ref":"#/input/items"},"input":{)" + input + "}}");
  const core::RunId run = start(
      "product", fmt::format(R"({{"items":{},"value":"{}"}})", numbers(2'000), std::string(10'000, 'v')));
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_NE(run_of(run).error->message.find("limits.run_rendered allows 67108864"), std::string::npos)
      << run_of(run).error->message;
  EXPECT_TRUE(claim().empty());
}

TEST_P(RunBounds, FailARunWithTooLargeElementInputs) {
  define("large", R"({"id":"each","activity":"t","for_each":{"$ref":"#/input/items"},
                      "input":[{"$ref":"#/item"},{"$ref":"#/input/value"}]})");
  const core::RunId run = start(
      "large", fmt::format(R"({{"items":{},"value":"{}"}})", numbers(100), std::string(1'000'000, 'v')));
  EXPECT_LE(queue().counts.pending, 10) << "8 MiB a commit";
  tick();
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(queue().counts.pending, 0) << "those that had begun are canceled";
}

TEST_P(RunBounds, StartChildrenWithLargeInputsInPages) {
  define("leaf", R"({"id":"wait","type":"signal","signal":"go"})");
  define("parent",
         R"({"id":"each","type":"workflow","workflow":"leaf","for_each":{"$ref":"#/input/items"}})");
  const core::RunId run = start(
      "parent", fmt::format(R"({{"items":{},"value":"{}"}})", numbers(40), std::string(1'000'000, 'v')));
  EXPECT_LE(all_runs().size(), 12U) << "8 MiB a commit";
  tick();
  EXPECT_EQ(all_runs().size(), 41U);
  act(run, core::RunAction::cancel);
  tick();
  for (const core::Run& one : all_runs()) EXPECT_EQ(one.state, RunState::cancelled);
}

// 10,000 elements that would each copy 130 KB.
TEST_P(RunBounds, StoreTheSharedInputOfAFanOutOnce) {
  define("fan", R"({"id":"each","activity":"t","for_each":{"$ref":"#/input/items"}})");
  const std::string input =
      fmt::format(R"({{"items":{},"padding":"{}"}})", numbers(10'000), std::string(70'000, 'x'));
  const core::RunId run = start("fan", input);
  const auto claimed_with_it = claim("w1", 2, 1h);
  tick();
  EXPECT_EQ(state_of(run), RunState::running);
  EXPECT_EQ(queue().counts.pending, 9'998);
  EXPECT_EQ(node().store()->find_run(run, {})->run.cost.rendered, 0);
  const auto other = another_node(2);
  const auto claimed = other->api().claim({.worker_id = "w2", .max = 2, .lease = 1h});
  ASSERT_TRUE(claimed.ok());
  ASSERT_EQ(claimed->size(), 2U);
  for (const core::ClaimedTask& one : *claimed) EXPECT_EQ(one.task.payload.text, input);
  for (const core::ClaimedTask& one : claimed_with_it) EXPECT_EQ(one.task.payload.text, input);
  EXPECT_EQ(get(claimed->front().task.id).task.payload.text, input);
  const auto page = api().list_tasks({.limit = 3});
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->items.size(), 3U);
  for (const core::Task& task : page->items) EXPECT_EQ(task.payload.text, input);
  (void)fail(claimed_with_it.front().task);
  clock.advance(1h);
  tick();
  EXPECT_EQ(get(claimed_with_it.front().task.id).task.payload.text, input);
}

TEST_P(RunBounds, LetAClaimOfTheSameCommitReadTheSharedInput) {
  define("fan", R"({"id":"each","activity":"t","for_each":{"$ref":"#/input/items"}})");
  const std::string input = fmt::format(R"({{"items":[1,2,3],"padding":"{}"}})", std::string(5'000, 'x'));
  const auto answers = submit_group(node(), {core::StartRun{.workflow = "fan", .input = {input}},
                                             core::ClaimTasks{.worker_id = "w1", .max = 2}});
  const std::vector<core::Task> tasks = answers.at(1).tasks();
  ASSERT_EQ(tasks.size(), 2U);
  for (const core::Task& task : tasks) EXPECT_EQ(task.payload.text, input);
  EXPECT_EQ(get(tasks.front().id).task.payload.text, input);
}

TEST_P(RunBounds, LimitThePayloadBytesOfAClaimAndOfAPage) {
  define("fan", R"({"id":"each","activity":"t","for_each":{"$ref":"#/input/items"}})");
  const std::string input =
      fmt::format(R"({{"items":{},"padding":"{}"}})", numbers(20), std::string(1'900'000, 'x'));
  (void)start("fan", input);
  const auto first = api().list_tasks({.limit = 100});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->items.size(), 9U);
  ASSERT_TRUE(first->next_cursor);
  EXPECT_EQ(list({}, false, 100).size(), 20U);
  EXPECT_EQ(claim("w1", 100, 1h).size(), 9U);
  EXPECT_EQ(claim("w1", 100, 1h).size(), 9U);
  EXPECT_EQ(claim("w1", 100, 1h).size(), 2U);
}

TEST_P(RunBounds, ShareALargeInputBetweenARunAndItsTask) {
  define("one", R"({"id":"a","activity":"t"},{"id":"b","activity":"t","after":["a"]})");
  const std::string input = fmt::format(R"({{"text":"{}"}})", std::string(100'000, 'x'));
  const core::RunId run = start("one", input);
  EXPECT_EQ(claim_one().payload.text, input);
  EXPECT_EQ(node().store()->find_run(run, {})->run.cost.rendered, 0);
}

TEST_P(RunBounds, LetAnotherNodeContinueAPagedFanOut) {
  define("fan", R"({"id":"each","type":"workflow","workflow":"leaf","for_each":{"$ref":"#/input"}})");
  define("leaf", R"({"id":"wait","type":"signal","signal":"go"})");
  (void)start("fan", numbers(250));
  EXPECT_EQ(all_runs().size(), 101U);
  const auto other = another_node(2);
  (void)other->engine().sweeper().tick(100);
  EXPECT_EQ(all_runs().size(), 201U);
  tick();
  EXPECT_EQ(all_runs().size(), 251U);
}

PAWL_ON_EVERY_STORE(RunBounds);

}  // namespace
}  // namespace pawl::testing
