#pragma once
// The expected state, derived from the API's text and not from the engine's code: tasks, key lines and queues
// as plain values, changed by the commands of observed commits. Where the engine has a choice (which task a
// claim gets, the jitter of a backoff) the model keeps a range, and takes the choice from the store after
// checking it.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/queue/queue.hpp"
#include "core/task/command.hpp"
#include "core/task/task.hpp"
#include "core/task/task_machine.hpp"
#include "tests/sim/store_time.hpp"
#include "tests/sim/tally.hpp"
#include "tests/sim/violation.hpp"

namespace pawl::sim {

using core::Duration;
using core::TaskId;
using core::TaskStatus;
using core::TimePoint;

// One task requested by a client. The payload contains its number, which identifies it in stored rows.
struct Submission {
  std::uint64_t number = 0;
  core::TaskSpec spec = {};
  bool is_refused = false;       // invalid: it must have no effect
  bool is_acknowledged = false;  // a caller received the acknowledgment
  std::optional<TaskId> task = {};
};

struct ModelLease {
  std::string worker = {};
  TimePoint acquired_at = {};
  TimePoint expires_at = {};
  Duration length = {};
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> timeout_at = {};
  int renewals = 0;
  TimePoint renewed_at = {};  // or claimed
  TrueTime truly_renewed_at = {};
  TrueTime truly_started_at = {};  // or claimed, until it starts
  bool cancel_requested = false;
};

struct PastAttempt {
  std::int64_t fence = 0;
  std::string worker = {};
  core::AttemptOutcome outcome = core::AttemptOutcome::failed;
  TaskStatus status_after = TaskStatus::pending;
  std::optional<core::ReportAction> ended_by = {};  // none: a sweep
};

struct ModelEnd {
  std::string worker = {};
  std::int64_t fence = 0;
  bool is_forced = false;  // by a sweep
};

struct ModelTask {
  TaskId id = {};
  Submission* asked = nullptr;
  TaskStatus status = TaskStatus::pending;
  core::Place place = core::Place::nowhere;
  int attempt = 0;
  int budget_from = 0;
  std::int64_t fence = 0;
  TimePoint available_from = {};  // range of available_at; a single time once it is known
  TimePoint available_to = {};
  std::optional<ModelLease> lease = {};
  std::optional<ModelEnd> end = {};
  std::vector<PastAttempt> past = {};
  int claims = 0;
  int releases = 0;
  int ends = 0;                                                       // since the last retry by an operator
  std::int64_t fence_answered = 0;                                    // the last one in a claim's answer
  std::vector<std::pair<std::int64_t, std::string>> executions = {};  // fence and worker of executed handlers

  // The following refer to the last transaction that touched the task.
  std::uint64_t touched_in = 0;
  std::uint64_t stale_in = 0;  // the one in which a stale report arrived
  TaskStatus status_before = TaskStatus::pending;
  bool may_be_either = false;              // retried while its line advanced: reported as pending or blocked
  std::optional<Duration> wait_base = {};  // backoff of a policy retry, before jitter

  std::int64_t core::QueueCounts::*counted_as = nullptr;

  [[nodiscard]] const core::TaskSpec& spec() const { return asked->spec; }
};

struct ModelLine {
  ModelTask* head = nullptr;
  std::deque<ModelTask*> waiting = {};
  std::uint64_t left_in = 0;  // the transaction in which its head last ended
};

struct ModelQueue {
  bool is_paused = false;
  std::optional<std::int64_t> max_concurrency = {};
  std::map<std::string, std::int64_t> type_concurrency = {};
  core::QueueCounts counts = {};
  std::map<std::string, std::int64_t> held_by_type = {};
  std::uint64_t claimed_in = 0;  // the last transaction that claimed from it
  std::map<std::string, std::uint64_t> type_claimed_in = {};

  [[nodiscard]] std::int64_t held() const { return counts.claimed + counts.running; }
};

// A lease that a sweep ended, and when it was due.
struct Rescue {
  ModelTask* task = nullptr;
  TimePoint due_at = {};
  Duration lasted{0};    // in true time, since the decisive renewal or start
  Duration promised{0};  // the minimum, less steps too small to be bridged
};

class Model {
 public:
  // The ids of the rows that a commit created, by the number in their payload.
  using Created = std::vector<std::pair<std::uint64_t, TaskId>>;

  explicit Model(Tally& tally) : tally_(tally) {}

  Submission& submit(core::TaskSpec spec);
  [[nodiscard]] Submission* submission(std::uint64_t number);
  [[nodiscard]] static std::optional<std::uint64_t> number_in(const core::RawJson& payload);

  // One transaction: begin, the effects of its commands in order, then the lines that advance.
  void begin(const StoreTime& time, const TrueTime& true_time);
  [[nodiscard]] core::Answer apply(const core::Command& command, const Created& created);
  void advance_lines();
  // Applies the engine's choice, which has been checked.
  void claim(ModelTask& task, const std::string& worker, Duration length);
  // Counts the task in its current state.
  void settle(ModelTask& task);

  [[nodiscard]] const std::vector<ModelTask*>& touched() const { return touched_; }
  [[nodiscard]] const std::vector<Rescue>& rescues() const { return rescues_; }
  [[nodiscard]] std::uint64_t transaction() const { return transaction_; }
  [[nodiscard]] TimePoint now() const { return now_; }
  // Excludes the time that the store's clock skipped since the renewal.
  [[nodiscard]] bool is_expired(const ModelLease& lease) const;
  // The latest time that the store's clock has shown. Work that was due at that time stays due after a
  // backward step.
  [[nodiscard]] TimePoint latest() const { return latest_; }

  [[nodiscard]] ModelTask* find(const TaskId& id);
  [[nodiscard]] ModelQueue& queue(const std::string& name) { return queues_[name]; }
  [[nodiscard]] const std::map<std::string, ModelQueue>& queues() const { return queues_; }
  [[nodiscard]] const ModelLine* line_of(const ModelTask& task) const;
  [[nodiscard]] const std::deque<ModelTask>& tasks() const { return tasks_; }
  [[nodiscard]] const std::deque<Submission>& submissions() const { return submissions_; }
  [[nodiscard]] std::int64_t open_tasks() const { return open_tasks_; }

 private:
  using LineKey = std::pair<std::string, std::string>;

  core::Answer run(const core::EnqueueTasks& command, const Created& created);
  core::Answer run(const core::ReportTasks& command);
  core::Answer run(const core::SweepLeases& command);
  core::Answer run(const core::PromoteDue& command);
  core::Answer run(const core::SetQueue& command);
  core::Enqueued enqueue(const core::TaskSpec& spec, const Created& created);
  core::Result<core::ReportAnswer> report(const std::string& worker, const core::Report& report);
  core::Result<core::ReportAnswer> repeat(const ModelTask& task, const std::string& worker,
                                          const core::Report& report) const;
  core::Result<core::TaskMoved> cancel(const TaskId& id);
  core::Result<core::TaskMoved> revive(const TaskId& id);
  bool sweep(const core::LeaseRef& ref);
  [[nodiscard]] Duration skipped_since(TimePoint time) const;

  void touch(ModelTask& task);
  void step(ModelTask& task, core::TaskEvent event);
  void become_available(ModelTask& task, TimePoint from, TimePoint to);
  void wait_as_policy_says(ModelTask& task);
  // `by`: the report that ended the attempt; none for a sweep.
  void end_attempt(ModelTask& task, core::TaskEvent event, core::AttemptOutcome outcome,
                   std::optional<core::ReportAction> by);
  void fail_attempt(ModelTask& task, core::AttemptOutcome outcome, const core::TaskError& error,
                    std::optional<Duration> exact_wait, std::optional<core::ReportAction> by);
  void finish(ModelTask& task);
  void leave_line(ModelTask& task);
  ModelLine& line(const ModelTask& task);

  Tally& tally_;
  std::deque<Submission> submissions_;
  std::deque<ModelTask> tasks_;
  std::unordered_map<TaskId, ModelTask*> by_id_;
  std::map<std::pair<std::string, std::string>, TaskId> idempotency_;  // by type and key
  std::map<LineKey, ModelLine> lines_;
  std::map<std::string, ModelQueue> queues_;
  std::int64_t open_tasks_ = 0;

  std::uint64_t transaction_ = 0;
  TimePoint now_ = {};
  core::ClockState clock_;
  TrueTime true_time_;
  TimePoint latest_ = {};
  std::vector<ModelTask*> touched_;
  std::vector<ModelLine*> moving_;  // lines whose head ended in this transaction
  std::vector<Rescue> rescues_;
};

// The bounds of the backoff after the n-th failure, before and after jitter.
struct WaitBounds {
  Duration base;
  Duration least;
  Duration most;
};
[[nodiscard]] WaitBounds wait_bounds(const core::RetryPolicy& policy, int n);

}  // namespace pawl::sim
