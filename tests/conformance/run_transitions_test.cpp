// Every row of the run state table is taken on every store; every other action is refused and changes
// nothing.
#include "core/run/run_transitions.hpp"

#include <algorithm>
#include <set>

#include "core/run/run_steps.hpp"
#include "core/run/working_run.hpp"
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::RunAction;
using core::RunState;

using Pairs = std::set<std::pair<RunState, RunState>>;

class RunTransitions : public RunTest {
 public:
  void define_all() {
    define("plain", R"({"id":"a","activity":"t","retry":{"max_attempts":1}},{"id":"b","activity":"t"})");
    define("nap", R"({"id":"s","type":"sleep","duration":"1h"})");
    define("saga", R"({"id":"a","activity":"t","compensate":"u"},
                      {"id":"b","activity":"t","after":["a"],"retry":{"max_attempts":1}},
                      {"id":"u","type":"compensation","activity":"u","retry":{"max_attempts":1}})");
    define("manual", R"({"id":"a","activity":"t","compensate":"u"},
                        {"id":"b","activity":"t","after":["a"],"retry":{"max_attempts":1}},
                        {"id":"u","type":"compensation","activity":"u"})",
           R"(,"on_failure":"fail")");
  }

  core::RunId fail_saga(const std::string& workflow) {
    const core::RunId run = start(workflow);
    complete_node("a");
    fail_node("b");
    return run;
  }

  // Starts a run and brings it to the state. The calling test must handle its tasks.
  core::RunId reach(RunState state) {
    switch (state) {
      case RunState::sleeping: return start("nap");
      case RunState::paused: return acted(start("plain"), RunAction::pause);
      case RunState::completed: {
        const core::RunId run = start("plain");
        work();
        return run;
      }
      case RunState::failing: {
        const core::RunId run = start("plain");
        claimed();
        fail_node("a");
        return run;
      }
      case RunState::failed: return fail_saga("manual");
      case RunState::compensating: return fail_saga("saga");
      case RunState::compensated: {
        const core::RunId run = fail_saga("saga");
        work();
        return run;
      }
      case RunState::compensation_failed: {
        const core::RunId run = fail_saga("saga");
        fail_node("u");
        return run;
      }
      case RunState::cancelled: return acted(start("plain"), RunAction::cancel);
      default: return start("plain");
    }
  }

  // A run in the state `created`. A start creates and begins a run in one commit, so this run is written
  // without the engine.
  core::RunId made() {
    const auto tx = node().store()->begin();
    const core::RunFacts facts{.id = core::RunId{*core::parse_uuid("0198c0de-0000-7000-8000-000000000001")},
                               .ns = "default",
                               .workflow = "made",
                               .kind = core::RunKind::open};
    core::WorkingRun working{core::RunPlan{}};
    const core::RunContext context{.now = tx->now()};
    core::RunSteps steps{working, context};
    steps.emit(core::RunEventType::workflow_created, {.run = facts});
    const core::RunDecision decision = steps.finish();
    const core::RunEvent& event = decision.events.front();
    const core::RawJson payload = core::payload_of(event.data);
    store::RunWrite write{.run = &working.run()};
    write.events.push_back(
        {.event = &event, .payload = payload, .hash = core::event_hash("", facts.id, event, payload)});
    tx->commit({.runs = {write}});
    return facts.id;
  }

  // Ends all open runs, so that their tasks do not interfere with the next run.
  void clear() {
    (void)runs().act_on_runs({.action = RunAction::cancel});
    give_back_all();
    work();
  }

  core::RunId acted(const core::RunId& run, RunAction action) {
    act(run, action);
    return run;
  }

  // Records the run's state changes, by replaying its log up to each event. Some events pass through an
  // intermediate state.
  void note_moves(const core::RunId& run) {
    RunState before = RunState::created;
    for (const core::RunEvent& event : events(run)) {
      const RunState after = runs().replay_run({.id = run}, event.sequence)->rebuilt.run.state;
      RunState from = before;
      const auto pass = [&](RunState through) {
        taken.emplace(from, through);
        from = through;
      };
      if (after == RunState::completed && before != after) pass(RunState::completing);
      const bool is_sudden = before != RunState::failing && before != RunState::failed &&
                             before != RunState::compensation_failed && before != after;
      if (is_sudden && (after == RunState::failed || after == RunState::compensating))
        pass(RunState::failing);
      if (from != after) taken.emplace(from, after);
      before = after;
    }
  }

  Pairs taken;
};

constexpr std::array kReachable{RunState::running,      RunState::sleeping,    RunState::paused,
                                RunState::completed,    RunState::failing,     RunState::failed,
                                RunState::compensating, RunState::compensated, RunState::compensation_failed,
                                RunState::cancelled};

bool is_allowed(RunAction action, RunState state) {
  switch (action) {
    case RunAction::pause: return state == RunState::running || state == RunState::sleeping;
    case RunAction::resume: return state == RunState::paused;
    case RunAction::cancel:
      return state == RunState::running || state == RunState::sleeping || state == RunState::paused;
    case RunAction::retry:
      return state == RunState::failing || state == RunState::failed ||
             state == RunState::compensation_failed;
    case RunAction::terminate: return !core::is_closed(state);
    case RunAction::skip: return state == RunState::compensation_failed;
    case RunAction::compensate: return state == RunState::failed;
    default: return false;  // only an open run can be completed by an operator
  }
}

TEST_P(RunTransitions, AcceptOrRejectEveryActionAsTheTableRequires) {
  define_all();
  for (const RunState state : kReachable) {
    for (int i = 0; i < core::kRunActionCount; ++i) {
      const auto action = static_cast<RunAction>(i);
      const core::RunId run = reach(state);
      const core::Run before = run_of(run);
      ASSERT_EQ(before.state, state);
      const auto answer = runs().act_on_run({.run = {.id = run}, .asked = {.action = action}});
      EXPECT_EQ(answer.ok(), is_allowed(action, state)) << to_string(action) << " of " << to_string(state);
      if (answer) {
        note_moves(run);
      } else {
        EXPECT_EQ(run_of(run), before);
        EXPECT_EQ(answer.problem().code, core::is_closed(state) ? core::ProblemCode::already_completed
                                                                : core::ProblemCode::invalid_state)
            << to_string(action) << " of " << to_string(state);
        const bool names_state = answer.problem().detail.find(to_string(state)) != std::string::npos;
        EXPECT_TRUE(names_state || action == RunAction::complete) << answer.problem().detail;
      }
      clear();
    }
  }
}

TEST_P(RunTransitions, AreAllExercised) {
  define_all();
  std::vector<core::RunId> all;
  for (const RunState state : kReachable) {
    all.push_back(reach(state));
    clear();
  }
  // Sleeping: woken, paused, canceled, timed out.
  define("short", R"({"id":"s","type":"sleep","duration":"1s"},{"id":"x","activity":"t","after":["s"]})",
         R"(,"deadline":"10m")");
  all.push_back(start("short"));
  define("late", R"({"id":"s","type":"sleep","duration":"1h"})", R"(,"deadline":"5s")");
  all.push_back(start("late"));
  clock.advance(6s);
  tick();
  all.push_back(acted(start("nap"), RunAction::pause));
  all.push_back(acted(start("nap"), RunAction::cancel));
  // Paused: resumed, canceled, failed by a task under way.
  all.push_back(acted(acted(start("plain"), RunAction::pause), RunAction::resume));
  all.push_back(acted(acted(start("plain"), RunAction::pause), RunAction::cancel));
  clear();
  const core::RunId paused = start("plain");
  claimed();
  act(paused, RunAction::pause);
  fail_node("a");
  all.push_back(paused);
  clear();
  // Failing and failed: retried; undone by an operator.
  all.push_back(acted(reach(RunState::failing), RunAction::retry));
  clear();
  all.push_back(acted(fail_saga("manual"), RunAction::retry));
  clear();
  all.push_back(acted(fail_saga("manual"), RunAction::compensate));
  clear();
  const core::RunId failed = reach(RunState::failing);
  give_back("b");
  EXPECT_EQ(state_of(failed), RunState::failed);
  all.push_back(failed);

  // Terminated while failing or compensating; a failed compensation retried.
  all.push_back(acted(reach(RunState::failing), RunAction::terminate));
  clear();
  all.push_back(acted(reach(RunState::compensating), RunAction::terminate));
  clear();
  all.push_back(acted(reach(RunState::compensation_failed), RunAction::retry));
  clear();

  all.push_back(acted(made(), RunAction::cancel));

  for (const core::RunId& run : all) note_moves(run);
  for (const core::RunTransition& row : core::kRunTransitions) {
    EXPECT_TRUE(taken.contains({row.from, row.to}))
        << "nothing takes the row " << to_string(row.from) << ", " << to_string(row.to);
  }
  for (const auto& [from, to] : taken) EXPECT_TRUE(core::may_move(from, to));
}

}  // namespace
PAWL_ON_EVERY_STORE(RunTransitions);
}  // namespace pawl::testing
