// The table of task states, and the decisions that apply it, without a store.

#include "core/task/task_machine.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

std::vector<TaskStatus> all_statuses() {
  std::vector<TaskStatus> statuses;
  for (int i = 0; i < kTaskStatusCount; ++i) statuses.push_back(static_cast<TaskStatus>(i));
  return statuses;
}
std::vector<TaskEvent> all_events() {
  std::vector<TaskEvent> events;
  for (int i = 0; i < kTaskEventCount; ++i) events.push_back(static_cast<TaskEvent>(i));
  return events;
}

TEST(TheTable, AgreesWithNextStatusForEveryPair) {
  for (const TaskStatus from : all_statuses()) {
    for (const TaskEvent event : all_events()) {
      const auto row = std::find_if(kTaskTransitions.begin(), kTaskTransitions.end(),
                                    [&](const auto& one) { return one.from == from && one.event == event; });
      const auto expected = row == kTaskTransitions.end() ? std::nullopt : std::optional{row->to};
      EXPECT_EQ(next_status(from, event), expected) << to_string(from) << " " << to_string(event);
    }
  }
}

TEST(TheTable, LetsOnlyARetryLeaveATerminalStatus) {
  for (const TaskTransition& row : kTaskTransitions) {
    if (!is_terminal(row.from)) continue;
    EXPECT_TRUE(row.event == TaskEvent::revived || row.event == TaskEvent::revived_in_line)
        << to_string(row.event);
    const bool is_with_its_run = row.from == TaskStatus::cancelled && row.event == TaskEvent::revived_in_line;
    EXPECT_TRUE(row.from == TaskStatus::failed || row.from == TaskStatus::dead_letter || is_with_its_run)
        << to_string(row.from);
  }
}

TEST(TheTable, ReachesEveryStatusFromPendingOrBlocked) {
  std::vector<bool> reached(static_cast<std::size_t>(kTaskStatusCount));
  reached[static_cast<std::size_t>(TaskStatus::blocked)] =
      reached[static_cast<std::size_t>(TaskStatus::pending)] = true;
  for (int round = 0; round < kTaskStatusCount; ++round) {
    for (const TaskTransition& row : kTaskTransitions) {
      if (reached[static_cast<std::size_t>(row.from)]) reached[static_cast<std::size_t>(row.to)] = true;
    }
  }
  EXPECT_EQ(std::count(reached.begin(), reached.end(), true), kTaskStatusCount);
}

TEST(Names, OfStatusesEventsAndOutcomesRoundTrip) {
  for (const TaskStatus status : all_statuses()) EXPECT_EQ(task_status_from(to_string(status)), status);
  EXPECT_EQ(task_status_from("done"), std::nullopt);
  for (int i = 0; i < 6; ++i) {
    const auto outcome = static_cast<AttemptOutcome>(i);
    EXPECT_EQ(attempt_outcome_from(to_string(outcome)), outcome);
  }
  EXPECT_EQ(attempt_outcome_from("lost"), std::nullopt);
  for (const TaskEvent event : all_events()) EXPECT_FALSE(to_string(event).empty());
}

struct Decisions : ::testing::Test {
  testing::ManualClock clock;
  Lane lane{.id = 1, .ns = "default", .queue = "default", .type = "t"};

  [[nodiscard]] Moment moment() { return {.now = clock.now()}; }
  TaskRecord pending(const TaskSpec& spec = {.type = "t"}) {
    return new_task(TaskId{}, lane, spec, clock.now(), true);
  }
  TaskRecord claimed(const TaskSpec& spec = {.type = "t"}) {
    TaskRecord record = pending(spec);
    apply(record, decide_claim(record, "w", 30s, clock.now()));
    return record;
  }
  Result<ReportDecision> report(const TaskRecord& record, ReportAction action, std::int64_t fence = 1,
                                const std::string& worker = "w") {
    return decide_report(record, worker,
                         {.task_id = record.id, .fence = fence, .action = action, .error = {"c", "m"}},
                         nullptr, moment());
  }
};

TEST_F(Decisions, OnANewTaskChooseItsInitialStatus) {
  EXPECT_EQ(pending().place, Place::ready);
  EXPECT_EQ(pending({.type = "t", .delay = 1s}).place, Place::scheduled);
  EXPECT_EQ(pending({.type = "t", .run_at = clock.now() - 1h}).available_at, clock.now());
  const TaskRecord blocked =
      new_task(TaskId{}, lane, {.type = "t", .key = "k", .delay = 1s}, clock.now(), false);
  EXPECT_EQ(blocked.place, Place::waiting);
  EXPECT_EQ(blocked.status, TaskStatus::blocked);
  TaskRecord next = blocked;
  apply(next, decide_unblock(next, clock.now()));
  EXPECT_EQ(next.place, Place::scheduled) << "its own delay still holds";
  clock.advance(2s);
  next = blocked;
  apply(next, decide_unblock(next, clock.now()));
  EXPECT_EQ(next.place, Place::ready);
}

TEST_F(Decisions, OnAClaimCountTheAttemptAndRaiseTheFence) {
  const TaskRecord record = claimed({.type = "t", .timeout = 5s});
  EXPECT_EQ(record.progress.attempt, 1);
  EXPECT_EQ(record.progress.fence, 1);
  EXPECT_EQ(record.lease->expires_at, clock.now() + 30s);
  EXPECT_EQ(record.lease->timeout_at, clock.now() + 5s);
}

TEST_F(Decisions, DoNotModifyTheirInput) {
  const TaskRecord record = claimed();
  for (int action = 0; action < kReportActionCount; ++action) {
    (void)report(record, static_cast<ReportAction>(action));
    EXPECT_EQ(record.status, TaskStatus::claimed);
    EXPECT_EQ(record.progress.fence, 1);
  }
}

TEST_F(Decisions, AcceptALeaseUpToItsLastMicrosecondAndNotAtItsEnd) {
  const TaskRecord record = claimed();
  clock.advance(30s - 1us);
  EXPECT_TRUE(report(record, ReportAction::complete).ok());
  EXPECT_EQ(decide_sweep(record, 1, moment()), std::nullopt);
  clock.advance(1us);
  EXPECT_EQ(report(record, ReportAction::complete).problem().code, ProblemCode::stale_lease);
  EXPECT_TRUE(decide_sweep(record, 1, moment()).has_value()) << "never neither";
}

TEST_F(Decisions, OfASweepCompareTheFence) {
  const TaskRecord record = claimed();
  clock.advance(31s);
  EXPECT_EQ(decide_sweep(record, 0, moment()), std::nullopt);
  EXPECT_EQ(decide_sweep(record, 2, moment()), std::nullopt);
  const auto change = decide_sweep(record, 1, moment());
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->progress.fence, 2);
  EXPECT_EQ(json_error(change->error_boundary->text), std::nullopt);
}

TEST_F(Decisions, OfASweepEscapeAnyWorkerName) {
  TaskRecord record = pending();
  apply(record, decide_claim(record, R"(w"\1)", 10s, clock.now()));
  clock.advance(11s);
  EXPECT_EQ(json_error(decide_sweep(record, 1, moment())->error_boundary->text), std::nullopt);
}

TEST_F(Decisions, RestartTheTimeoutAtTheFirstStartOnly) {
  TaskRecord record = claimed({.type = "t", .timeout = 5s});
  clock.advance(3s);
  apply(record, *report(record, ReportAction::start)->change);
  EXPECT_EQ(record.lease->timeout_at, clock.now() + 5s);
  const auto first = record.lease->started_at;
  clock.advance(1s);
  apply(record, *report(record, ReportAction::start)->change);
  EXPECT_EQ(record.lease->started_at, first);
  EXPECT_EQ(record.lease->timeout_at, *first + 5s);
}

TEST_F(Decisions, OnAReportedTimeoutRecordItAsATimeout) {
  const Report at_timeout{.fence = 1,
                          .action = ReportAction::fail,
                          .error = {.code = "timeout", .message = "the attempt took too long"}};
  const TaskRecord timed = claimed({.type = "t", .timeout = 5s});
  const auto decision = decide_report(timed, "w", at_timeout, nullptr, moment());
  ASSERT_TRUE(decision.ok());
  EXPECT_EQ(decision->change->attempt->outcome, AttemptOutcome::timed_out);
  TaskRecord after = timed;
  apply(after, *decision->change);
  const Attempt past = *decision->change->attempt;
  EXPECT_TRUE(decide_report(after, "w", at_timeout, &past, moment()).ok()) << "the same report again";
  const TaskRecord untimed = claimed();
  EXPECT_EQ(decide_report(untimed, "w", at_timeout, nullptr, moment())->change->attempt->outcome,
            AttemptOutcome::failed);
}

TEST_F(Decisions, OfAPromotionWaitUntilTheTaskIsDue) {
  const TaskRecord record = pending({.type = "t", .delay = 5s});
  EXPECT_EQ(decide_promote(record, clock.now() + 5s - 1us), std::nullopt);
  EXPECT_EQ(decide_promote(record, clock.now() + 5s)->place, Place::ready);
  EXPECT_EQ(decide_promote(pending(), clock.now() + 1h), std::nullopt);
}

TEST_F(Decisions, NameBothFencesToAStaleReport) {
  const auto answer = report(claimed(), ReportAction::complete, 7);
  EXPECT_NE(answer.problem().detail.find("is at fence 1, the request carried 7"), std::string::npos);
}

}  // namespace
}  // namespace pawl::core
