// `verify` detects changes that were made to a run outside of the engine.
#include <set>

#include "engine/verify_run.hpp"
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

class RunVerify : public RunTest {
 public:
  store::StoredRun saga() {
    define("saga", R"({"id":"a","activity":"t","compensate":"u"},
                      {"id":"b","activity":"t","after":["a"],"retry":{"max_attempts":1}},
                      {"id":"u","type":"compensation","activity":"u"})");
    const core::RunId run = start("saga");
    signal(run, "nobody waits for it");
    complete_node("a", R"({"paid":10})");
    fail_node("b");
    work();
    return *node().store()->find_run(run, {.nodes = true, .signals = true, .events = true});
  }

  // The checks with findings.
  std::set<std::string> found_in(const store::StoredRun& stored) {
    const auto version = runs().get_definition("default", "saga", 1);
    const auto definition = core::parse_definition(version->text.text);
    const core::Graph graph{*definition};
    std::set<std::string> checks;
    for (const auto& finding : engine::findings_of(stored, {.definition = &*definition, .graph = &graph}))
      checks.insert(finding.check);
    return checks;
  }

  using Checks = std::set<std::string>;
};

TEST_P(RunVerify, AcceptsAnUnmodifiedRun) { EXPECT_EQ(found_in(saga()), Checks{}); }

TEST_P(RunVerify, DetectsAModifiedEvent) {
  store::StoredRun stored = saga();
  for (store::StoredEvent& event : stored.events) {
    const auto paid = event.payload.text.find(R"({"paid":10})");
    if (paid != std::string::npos) event.payload.text.replace(paid, 11, R"({"paid":99})");
  }
  EXPECT_TRUE(found_in(stored).contains("I21"));
}

TEST_P(RunVerify, DetectsAMissingEvent) {
  store::StoredRun stored = saga();
  stored.events.erase(stored.events.begin() + 4);
  EXPECT_TRUE(found_in(stored).contains("I19"));
  EXPECT_TRUE(found_in(stored).contains("I21"));
}

TEST_P(RunVerify, DetectsATruncatedLog) {
  store::StoredRun stored = saga();
  stored.events.pop_back();
  EXPECT_TRUE(found_in(stored).contains("I19"));
  EXPECT_TRUE(found_in(stored).contains("I21"));
}

TEST_P(RunVerify, DetectsARowThatContradictsItsEvents) {
  store::StoredRun stored = saga();
  stored.run.state = core::RunState::completed;
  EXPECT_EQ(found_in(stored), Checks{"I20"});
  stored = saga();
  ++stored.run.counts.completed;
  EXPECT_EQ(found_in(stored), (Checks{"I20", "I24"}));
  stored = saga();
  stored.nodes.front().output = {"1"};
  EXPECT_EQ(found_in(stored), Checks{"I20"});
  stored = saga();
  stored.signals.clear();
  EXPECT_EQ(found_in(stored), Checks{"I20"});
}

TEST_P(RunVerify, DetectsAMissingCompensation) {
  store::StoredRun stored = saga();
  std::erase_if(stored.events, [](const store::StoredEvent& event) {
    return event.event.type == core::RunEventType::compensation_completed;
  });
  EXPECT_TRUE(found_in(stored).contains("I28"));
}

// A code run with the given rows only.
store::StoredRun code_run(core::RunState state, std::vector<core::Node> nodes) {
  store::StoredRun stored;
  stored.run.facts.kind = core::RunKind::code;
  stored.run.state = state;
  stored.nodes = std::move(nodes);
  return stored;
}

std::set<std::string> checks_of(const store::StoredRun& stored) {
  std::set<std::string> checks;
  for (const auto& finding : engine::findings_of(stored, {})) checks.insert(finding.check);
  return checks;
}

TEST(CodeRunVerify, DetectsARegisteredUndoThatDidNotRun) {
  const core::Node undo{.key = {.index = 7}, .name = "refund", .kind = core::StepKind::compensation};
  EXPECT_TRUE(checks_of(code_run(core::RunState::cancelled, {undo})).contains("I28"));
  EXPECT_TRUE(checks_of(code_run(core::RunState::compensated, {undo})).contains("I28"));
  EXPECT_FALSE(checks_of(code_run(core::RunState::compensation_failed, {undo})).contains("I28"));
  EXPECT_FALSE(checks_of(code_run(core::RunState::completed, {undo})).contains("I28"));
  store::StoredRun terminated = code_run(core::RunState::cancelled, {undo});
  terminated.run.error = core::TaskError{.code = "terminated", .message = ""};
  EXPECT_FALSE(checks_of(terminated).contains("I28"));
}

TEST(CodeRunVerify, DetectsABodyThatNothingCanWake) {
  core::Node body{.key = core::kBodyKey, .state = core::NodeState::waiting, .task_id = core::TaskId{}};
  EXPECT_TRUE(checks_of(code_run(core::RunState::sleeping, {body})).contains("I46"));
  body.has_lead = true;
  body.unmet = 1;
  EXPECT_TRUE(checks_of(code_run(core::RunState::sleeping, {body})).contains("I46")) << "no step can end";
  const core::Node child{.key = {.index = 5}, .state = core::NodeState::waiting, .child_id = core::RunId{}};
  EXPECT_FALSE(checks_of(code_run(core::RunState::sleeping, {body, child})).contains("I46"));
  body.awaits = "approved";
  EXPECT_FALSE(checks_of(code_run(core::RunState::sleeping, {body})).contains("I46"));
}

}  // namespace
PAWL_ON_EVERY_STORE(RunVerify);
}  // namespace pawl::testing
