// Every (status, command) pair on every store: pairs in the table are applied and recorded, all others are
// refused with the right problem and change nothing. A row of the table that no test takes fails the suite.

#include <functional>
#include <set>

#include "core/task/task_machine.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;
using core::TaskEvent;
using core::TaskStatus;

namespace {

constexpr core::Duration kLease = 30s;
constexpr core::Duration kTimeout = 20s;

// The task under test and related tasks.
struct Subject {
  core::TaskId id;
  std::string queue;
  std::optional<core::Task> leased = {};  // as the last claim returned it
  std::optional<core::Task> head = {};    // the leased task before it in its line
  bool is_last_attempt = false;
};

// The effect of a command: an event of the table, a problem, or neither.
struct Outcome {
  std::optional<TaskEvent> event = {};
  std::optional<ProblemCode> problem = {};
  bool is_repeat = false;  // answered as before, nothing changed
};

}  // namespace

class Transitions : public Conformance {
 public:
  Subject bring_to(TaskStatus status, int max_attempts);

  // Applies `command`, expects `expected`, and records the row taken.
  void expect(TaskStatus from, const char* name,
              const std::function<core::Result<core::TaskStatus>(Subject&)>& command, const Outcome& expected,
              int max_attempts = 4);

  core::Result<TaskStatus> report_as_holder(const Subject& subject, ReportAction action,
                                            bool retryable = true);
  core::Result<TaskStatus> sweep(Subject& subject, core::Duration after);
  core::Result<TaskStatus> cancel(const Subject& subject);
  core::Result<TaskStatus> status_after(const Subject& subject) { return status_of(subject.id); }

  std::set<std::pair<TaskStatus, TaskEvent>> taken;

 private:
  int made_ = 0;
};

Subject Transitions::bring_to(TaskStatus status, int max_attempts) {
  Subject subject{.id = {}, .queue = "q" + std::to_string(++made_), .is_last_attempt = max_attempts == 1};
  core::TaskSpec spec = task_of("t");
  spec.queue = subject.queue;
  spec.timeout = kTimeout;
  spec.retry.max_attempts = status == TaskStatus::dead_letter ? 1 : max_attempts;
  const auto lease = [&] {
    return claim_for({.worker_id = "w1", .queues = {subject.queue}, .max = 1, .lease = kLease}).at(0);
  };
  if (status == TaskStatus::blocked) {
    spec.key = "k";
    enqueue(spec);
    subject.head = lease();
  }
  subject.id = enqueue(spec).id;
  if (status == TaskStatus::cancelled) {
    EXPECT_TRUE(api().cancel_task("default", subject.id).ok());
  }
  if (status == TaskStatus::blocked || status == TaskStatus::pending || status == TaskStatus::cancelled)
    return subject;
  subject.leased = lease();
  switch (status) {
    case TaskStatus::running: EXPECT_TRUE(report(*subject.leased, ReportAction::start).ok()); break;
    case TaskStatus::completed: complete(*subject.leased); break;
    case TaskStatus::failed: EXPECT_TRUE(fail(*subject.leased, "boom", false).ok()); break;
    case TaskStatus::dead_letter: EXPECT_TRUE(fail(*subject.leased).ok()); break;
    default: break;
  }
  return subject;
}

void Transitions::expect(TaskStatus from, const char* name,
                         const std::function<core::Result<TaskStatus>(Subject&)>& command,
                         const Outcome& expected, int max_attempts) {
  SCOPED_TRACE(std::string{to_string(from)} + ", " + name);
  Subject subject = bring_to(from, max_attempts);
  const core::TaskWithAttempts before = get(subject.id);
  ASSERT_EQ(before.task.status, from);
  const core::QueueCounts counts_before = queue(subject.queue).counts;

  const core::Result<TaskStatus> answer = command(subject);
  const core::TaskWithAttempts after = get(subject.id);
  if (expected.event) {
    ASSERT_TRUE(answer.ok()) << answer.problem().detail;
    const auto next = core::next_status(from, *expected.event);
    ASSERT_TRUE(next.has_value()) << "the table has no such row";
    EXPECT_EQ(*answer, *next);
    EXPECT_EQ(after.task.status, *next);
    taken.emplace(from, *expected.event);
  } else {
    EXPECT_EQ(before.task, after.task);
    EXPECT_EQ(before.attempts, after.attempts);
    EXPECT_EQ(counts_before, queue(subject.queue).counts);
    ASSERT_EQ(answer.ok(), !expected.problem.has_value()) << (answer.ok() ? "" : answer.problem().detail);
    if (expected.problem) {
      EXPECT_EQ(answer.problem().code, *expected.problem) << answer.problem().detail;
    }
  }
  EXPECT_EQ(queue(subject.queue).counts, recount(subject.queue));
}

core::Result<TaskStatus> Transitions::report_as_holder(const Subject& subject, ReportAction action,
                                                       bool retryable) {
  core::Report made{
      .task_id = subject.id, .fence = subject.leased ? subject.leased->lease->fence : 1, .action = action};
  made.error = {.code = "boom", .message = "no", .retryable = retryable};
  const auto answer = report("w1", made);
  if (!answer) return answer.problem();
  return answer->status;
}

core::Result<TaskStatus> Transitions::sweep(Subject& subject, core::Duration after) {
  clock.advance(after);
  const std::int64_t fence = subject.leased ? subject.leased->lease->fence : 0;
  const auto swept = run_on(node(), core::SweepLeases{.leases = {{.task_id = subject.id, .fence = fence}}});
  if (!swept) return swept.problem();
  return status_of(subject.id);
}

core::Result<TaskStatus> Transitions::cancel(const Subject& subject) {
  const auto cancelled = api().cancel_task("default", subject.id);
  if (!cancelled) return cancelled.problem();
  return cancelled->status;
}

namespace {

bool is_by_worker(TaskStatus status) {
  return status == TaskStatus::completed || status == TaskStatus::failed || status == TaskStatus::dead_letter;
}

// The outcome of the last holder's report in a status without a lease.
Outcome refused_report(TaskStatus from, bool is_what_ended_it) {
  if (!is_by_worker(from)) return {.problem = ProblemCode::stale_lease};
  if (is_what_ended_it) return {.is_repeat = true};
  return {.problem = ProblemCode::already_completed};
}

Outcome if_leased(TaskStatus from, TaskEvent event, const Outcome& otherwise) {
  return core::is_leased(from) ? Outcome{.event = event} : otherwise;
}

}  // namespace

TEST_P(Transitions, OfEveryStatusAndCommandMatchTheTable) {
  for (int i = 0; i < core::kTaskStatusCount; ++i) {
    const auto from = static_cast<TaskStatus>(i);
    const bool leased = core::is_leased(from);
    const bool waits = from == TaskStatus::blocked || from == TaskStatus::pending;
    const bool may_revive = from == TaskStatus::failed || from == TaskStatus::dead_letter;

    const auto reports = [this](ReportAction action, bool retryable = true) {
      return [=, this](Subject& subject) { return report_as_holder(subject, action, retryable); };
    };
    expect(from, "start", reports(ReportAction::start),
           if_leased(from, TaskEvent::started, refused_report(from, false)));
    expect(from, "heartbeat", reports(ReportAction::heartbeat),
           if_leased(from, TaskEvent::renewed, refused_report(from, false)));
    expect(from, "complete", reports(ReportAction::complete),
           if_leased(from, TaskEvent::completed, refused_report(from, from == TaskStatus::completed)));
    expect(from, "fail", reports(ReportAction::fail),
           if_leased(from, TaskEvent::rescheduled, refused_report(from, may_revive)));
    expect(from, "fail at last", reports(ReportAction::fail),
           if_leased(from, TaskEvent::exhausted, refused_report(from, may_revive)), 1);
    expect(from, "fail for good", reports(ReportAction::fail, false),
           if_leased(from, TaskEvent::failed, refused_report(from, may_revive)));
    expect(from, "release", reports(ReportAction::release),
           if_leased(from, TaskEvent::released, refused_report(from, false)));

    const auto cancels = [this](Subject& subject) { return cancel(subject); };
    expect(from, "cancel", cancels,
           leased  ? Outcome{.event = TaskEvent::cancel_requested}
           : waits ? Outcome{.event = TaskEvent::cancelled}
                   : Outcome{.problem = ProblemCode::already_completed});
    const auto retries = [this](Subject& subject) -> core::Result<TaskStatus> {
      const auto revived = api().retry_task("default", subject.id);
      if (!revived) return revived.problem();
      return revived->status;
    };
    expect(
        from, "retry", retries,
        may_revive ? Outcome{.event = TaskEvent::revived} : Outcome{.problem = ProblemCode::invalid_state});
    const auto claims = [this](Subject& subject) {
      (void)claim_for({.worker_id = "w2", .queues = {subject.queue}});
      return status_after(subject);
    };
    expect(from, "claim", claims,
           from == TaskStatus::pending ? Outcome{.event = TaskEvent::claimed} : Outcome{});

    const auto expires = [this](Subject& subject) { return sweep(subject, kLease); };
    expect(from, "lease expiry", expires, if_leased(from, TaskEvent::rescheduled, {}));
    expect(from, "last lease expiry", expires, if_leased(from, TaskEvent::exhausted, {}), 1);
    const auto times_out = [this](Subject& subject) { return sweep(subject, kTimeout); };
    expect(from, "timeout", times_out, if_leased(from, TaskEvent::rescheduled, {}));
    expect(from, "last timeout", times_out, if_leased(from, TaskEvent::exhausted, {}), 1);
    expect(from, "sweep of a live lease", [this](Subject& subject) { return sweep(subject, kTimeout - 1us); },
           {});
    const auto promotes = [this](Subject& subject) {
      (void)run_on(node(), core::PromoteDue{.ids = {subject.id}});
      return status_after(subject);
    };
    expect(from, "promotion", promotes, {});
  }

  // A cancel request, followed by each way to end the lease.
  for (const TaskStatus from : {TaskStatus::claimed, TaskStatus::running}) {
    const auto asked = [this](const std::function<core::Result<TaskStatus>(Subject&)>& then) {
      return [this, then](Subject& subject) {
        EXPECT_TRUE(cancel(subject).ok());
        return then(subject);
      };
    };
    const Outcome cancelled{.event = TaskEvent::cancelled};
    expect(from, "fail after cancel",
           asked([this](Subject& s) { return report_as_holder(s, ReportAction::fail); }), cancelled);
    expect(from, "release after cancel",
           asked([this](Subject& s) { return report_as_holder(s, ReportAction::release); }), cancelled);
    expect(from, "lease expiry after cancel", asked([this](Subject& s) { return sweep(s, kLease); }),
           cancelled);
    expect(from, "timeout after cancel", asked([this](Subject& s) { return sweep(s, kTimeout); }), cancelled);
    expect(from, "complete after cancel",
           asked([this](Subject& s) { return report_as_holder(s, ReportAction::complete); }),
           {.event = TaskEvent::completed});
  }

  // Lines: the head ends; a task is retried behind others in its line.
  expect(TaskStatus::blocked, "the head completes",
         [this](Subject& subject) {
           complete(*subject.head);
           return status_after(subject);
         },
         {.event = TaskEvent::unblocked});
  for (const bool is_dead : {false, true}) {
    core::TaskSpec spec = task_of("t");
    spec.queue = is_dead ? "line_dead" : "line_failed";
    spec.key = "k";
    const core::Task ended = is_dead ? run_to_dead_letter(spec) : run_to_failed(spec);
    enqueue(spec);
    const auto revived = api().retry_task("default", ended.id);
    ASSERT_TRUE(revived.ok());
    const TaskStatus from = is_dead ? TaskStatus::dead_letter : TaskStatus::failed;
    EXPECT_EQ(revived->status, core::next_status(from, TaskEvent::revived_in_line));
    taken.emplace(from, TaskEvent::revived_in_line);
    EXPECT_EQ(queue(spec.queue).counts, recount(spec.queue));
  }

  // Canceled because a predecessor failed, which is then retried.
  const core::RunId open = runs().open_run({})->run.facts.id;
  core::TaskSpec first = task_of("t");
  first.queue = "of_open";
  first.run_id = open;
  core::TaskSpec behind = first;
  behind.after = {enqueue(first).id};
  const core::TaskId cancelled = enqueue(behind).id;
  EXPECT_TRUE(
      fail(claim_for({.worker_id = "w1", .queues = {"of_open"}, .max = 1}).at(0), "boom", false).ok());
  EXPECT_EQ(status_of(cancelled), TaskStatus::cancelled);
  ASSERT_TRUE(api().retry_task("default", behind.after.front()).ok());
  EXPECT_EQ(status_of(cancelled), core::next_status(TaskStatus::cancelled, TaskEvent::revived_in_line));
  taken.emplace(TaskStatus::cancelled, TaskEvent::revived_in_line);

  // Held by a paused run.
  const std::string text = R"({"name":"held","tasks":[{"id":"a","activity":"t","queue":"of_runs"}]})";
  ASSERT_TRUE(runs().put_definition({.name = "held", .text = text}).ok());
  const auto run = runs().start_run({.workflow = "held"});
  const core::TaskId held = *runs().view_run({.id = run->run.facts.id})->nodes.at(0).task_id;
  EXPECT_EQ(status_of(held), TaskStatus::pending);
  ASSERT_TRUE(runs()
                  .act_on_run({.run = {.id = run->run.facts.id}, .asked = {.action = core::RunAction::pause}})
                  .ok());
  EXPECT_EQ(status_of(held), core::next_status(TaskStatus::pending, TaskEvent::held));
  taken.emplace(TaskStatus::pending, TaskEvent::held);
  EXPECT_EQ(queue("of_runs").counts, recount("of_runs"));

  for (const core::TaskTransition& row : core::kTaskTransitions) {
    EXPECT_TRUE(taken.contains({row.from, row.event}))
        << "nothing takes the row " << to_string(row.from) << ", " << to_string(row.event);
  }
}

PAWL_ON_EVERY_STORE(Transitions);

}  // namespace pawl::testing
