#include "tests/sim/model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pawl::sim {

using core::AttemptOutcome;
using core::Place;
using core::Problem;
using core::ProblemCode;
using core::ReportAction;
using core::ReportAnswer;
using core::Result;
using core::TaskEvent;
using core::TaskMoved;

namespace {

// Up to this many lost attempts are retried without backoff.
constexpr int kFreeLosses = 2;

Problem problem_of(ProblemCode code) { return {.code = code, .detail = {}}; }

}  // namespace

WaitBounds wait_bounds(const core::RetryPolicy& policy, int n) {
  double base = static_cast<double>(policy.initial_interval.count());
  for (int i = 1; i < n && base < static_cast<double>(policy.max_interval.count()); ++i)
    base *= policy.backoff;
  base = std::min(base, static_cast<double>(policy.max_interval.count()));
  const auto whole = [](double value) { return Duration{static_cast<std::int64_t>(value)}; };
  return {.base = whole(base),
          .least = whole(std::floor(base * (1 - policy.jitter)) - 1),
          .most = whole(std::ceil(base * (1 + policy.jitter)) + 1)};
}

Submission& Model::submit(core::TaskSpec spec) {
  const std::uint64_t number = submissions_.size() + 1;
  spec.payload.text = "{\"n\":" + std::to_string(number) + "}";
  return submissions_.emplace_back(Submission{.number = number, .spec = std::move(spec)});
}

Submission* Model::submission(std::uint64_t number) {
  return number >= 1 && number <= submissions_.size() ? &submissions_[number - 1] : nullptr;
}

std::optional<std::uint64_t> Model::number_in(const core::RawJson& payload) {
  constexpr std::string_view kStart = "{\"n\":";
  if (!payload.text.starts_with(kStart)) return std::nullopt;
  std::uint64_t number = 0;
  const char* first = payload.text.data() + kStart.size();
  if (std::from_chars(first, payload.text.data() + payload.text.size(), number).ec != std::errc{})
    return std::nullopt;
  return number;
}

void Model::begin(const StoreTime& time, const TrueTime& true_time) {
  ++transaction_;
  now_ = time.now;
  clock_ = time.clock;
  true_time_ = true_time;
  latest_ = std::max(latest_, now_);
  touched_.clear();
  moving_.clear();
  rescues_.clear();
}

Duration Model::skipped_since(TimePoint time) const {
  Duration skipped{0};
  for (auto step = clock_.recent.rbegin(); step != clock_.recent.rend() && step->at >= time; ++step)
    skipped += step->jump;
  return skipped;
}

bool Model::is_expired(const ModelLease& lease) const {
  return lease.expires_at + skipped_since(lease.renewed_at) <= now_;
}

ModelTask* Model::find(const TaskId& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

ModelLine& Model::line(const ModelTask& task) { return lines_[{task.spec().queue, *task.spec().key}]; }

const ModelLine* Model::line_of(const ModelTask& task) const {
  const auto found = lines_.find({task.spec().queue, *task.spec().key});
  return found == lines_.end() ? nullptr : &found->second;
}

core::Answer Model::apply(const core::Command& command, const Created& created) {
  if (const auto* enqueue = std::get_if<core::EnqueueTasks>(&command)) return run(*enqueue, created);
  if (const auto* reports = std::get_if<core::ReportTasks>(&command)) return run(*reports);
  if (const auto* sweep = std::get_if<core::SweepLeases>(&command)) return run(*sweep);
  if (const auto* promote = std::get_if<core::PromoteDue>(&command)) return run(*promote);
  if (const auto* set_queue = std::get_if<core::SetQueue>(&command)) return run(*set_queue);
  std::vector<Result<TaskMoved>> moved;
  if (const auto* cancels = std::get_if<core::CancelTasks>(&command)) {
    for (const TaskId& id : cancels->ids) moved.push_back(cancel(id));
  } else if (const auto* retries = std::get_if<core::RetryTasks>(&command)) {
    for (const TaskId& id : retries->ids) moved.push_back(revive(id));
  }
  return moved;
}

core::Answer Model::run(const core::EnqueueTasks& command, const Created& created) {
  std::vector<core::Enqueued> results;
  for (const core::TaskSpec& spec : command.tasks) results.push_back(enqueue(spec, created));
  return results;
}

core::Enqueued Model::enqueue(const core::TaskSpec& spec, const Created& created) {
  Submission& asked = *submission(*number_in(spec.payload));
  if (spec.idempotency_key) {
    const auto known = idempotency_.find({spec.type, *spec.idempotency_key});
    if (known != idempotency_.end()) {
      tally_.saw(Invariant::i03);
      return {.created = false, .id = known->second};
    }
  }
  const auto row = std::find_if(created.begin(), created.end(),
                                [&](const auto& entry) { return entry.first == asked.number; });
  if (row == created.end())
    throw Violation{Invariant::i01, "an enqueue was acknowledged and nothing was stored"};
  if (asked.task) throw Violation{Invariant::i03, "a second task was made for one enqueue", row->second};

  ModelTask& task = tasks_.emplace_back();
  task.id = row->second;
  task.asked = &asked;
  asked.task = task.id;
  by_id_.emplace(task.id, &task);
  if (spec.idempotency_key) idempotency_.emplace(std::pair{spec.type, *spec.idempotency_key}, task.id);
  ++open_tasks_;
  touch(task);
  const TimePoint available =
      spec.run_at ? std::max(*spec.run_at, now_) : now_ + spec.delay.value_or(Duration{0});
  become_available(task, available, available);
  if (!spec.key) return {.created = true, .id = task.id};

  ModelLine& its_line = line(task);
  if (its_line.head == nullptr && its_line.waiting.empty()) {
    its_line.head = &task;
  } else {
    its_line.waiting.push_back(&task);
    task.status = TaskStatus::blocked;
    task.place = Place::waiting;
  }
  return {.created = true, .id = task.id};
}

core::Answer Model::run(const core::ReportTasks& command) {
  std::vector<Result<ReportAnswer>> results;
  for (const core::Report& one : command.reports) results.push_back(report(command.worker_id, one));
  return results;
}

Result<ReportAnswer> Model::report(const std::string& worker, const core::Report& report) {
  ModelTask* task = find(report.task_id);
  if (task == nullptr) return problem_of(ProblemCode::not_found);
  const bool is_holder = task->lease && task->lease->worker == worker && task->fence == report.fence &&
                         !is_expired(*task->lease);
  if (!is_holder) {
    task->stale_in = transaction_;
    return repeat(*task, worker, report);
  }
  touch(*task);
  ModelLease& lease = *task->lease;
  switch (report.action) {
    case ReportAction::heartbeat:
      step(*task, TaskEvent::renewed);
      lease.length = report.lease.value_or(lease.length);
      lease.expires_at = now_ + lease.length;
      ++lease.renewals;
      lease.renewed_at = now_;
      lease.truly_renewed_at = true_time_;
      break;
    case ReportAction::start:
      step(*task, TaskEvent::started);
      if (!lease.started_at) {
        lease.started_at = now_;
        if (task->spec().timeout) lease.timeout_at = now_ + *task->spec().timeout;
        lease.truly_started_at = true_time_;
      }
      break;
    case ReportAction::complete:
      task->end = ModelEnd{.worker = worker, .fence = task->fence};
      step(*task, TaskEvent::completed);
      finish(*task);
      break;
    case ReportAction::fail:
      fail_attempt(*task, AttemptOutcome::failed, report.error, report.retry_after, report.action);
      break;
    case ReportAction::release:
      if (lease.cancel_requested) {
        end_attempt(*task, TaskEvent::cancelled, AttemptOutcome::cancelled, report.action);
      } else {
        end_attempt(*task, TaskEvent::released, AttemptOutcome::released, report.action);
        become_available(*task, now_, now_);
        --task->attempt;
        ++task->releases;
      }
      break;
  }
  ReportAnswer answer{.task_id = task->id, .status = task->status};
  if (task->lease) {
    answer.lease_expires_at = task->lease->expires_at;
    answer.cancel_requested = task->lease->cancel_requested;
  }
  return answer;
}

// A repeated report gets the same answer. Another report on an ended attempt is refused as already completed;
// all others are stale.
Result<ReportAnswer> Model::repeat(const ModelTask& task, const std::string& worker,
                                   const core::Report& report) const {
  for (const PastAttempt& past : task.past) {
    if (past.fence == report.fence && past.worker == worker && past.ended_by == report.action) {
      return ReportAnswer{.task_id = task.id, .status = past.status_after};
    }
  }
  if (task.end && !task.end->is_forced && task.end->fence == report.fence && task.end->worker == worker) {
    if (report.action == ReportAction::complete && task.status == TaskStatus::completed) {
      return ReportAnswer{.task_id = task.id, .status = task.status};
    }
    return problem_of(ProblemCode::already_completed);
  }
  return problem_of(ProblemCode::stale_lease);
}

Result<TaskMoved> Model::cancel(const TaskId& id) {
  ModelTask* task = find(id);
  if (task == nullptr) return problem_of(ProblemCode::not_found);
  if (core::is_terminal(task->status)) return problem_of(ProblemCode::already_completed);
  touch(*task);
  if (task->lease) {
    step(*task, TaskEvent::cancel_requested);
    task->lease->cancel_requested = true;
    return TaskMoved{.task_id = id, .status = task->status, .cancel_requested = true};
  }
  task->end = ModelEnd{};
  step(*task, TaskEvent::cancelled);
  finish(*task);
  return TaskMoved{.task_id = id, .status = task->status};
}

Result<TaskMoved> Model::revive(const TaskId& id) {
  ModelTask* task = find(id);
  if (task == nullptr) return problem_of(ProblemCode::not_found);
  if (task->status != TaskStatus::failed && task->status != TaskStatus::dead_letter) {
    return problem_of(ProblemCode::invalid_state);
  }
  touch(*task);
  task->end = std::nullopt;
  task->ends = 0;
  task->budget_from = task->attempt;
  ++open_tasks_;
  if (task->spec().key) {
    ModelLine& its_line = line(*task);
    task->may_be_either = its_line.left_in == transaction_;
    if (its_line.head != nullptr || !its_line.waiting.empty()) {
      // Tasks that were claimed before come first, in the order of creation.
      const auto place =
          std::find_if(its_line.waiting.begin(), its_line.waiting.end(),
                       [&](const ModelTask* other) { return other->fence == 0 || task->id < other->id; });
      its_line.waiting.insert(place, task);
      step(*task, TaskEvent::revived_in_line);
      become_available(*task, now_, now_);
      return TaskMoved{.task_id = id, .status = task->status};
    }
    its_line.head = task;
  }
  step(*task, TaskEvent::revived);
  become_available(*task, now_, now_);
  return TaskMoved{.task_id = id, .status = task->status};
}

core::Answer Model::run(const core::SweepLeases& command) {
  core::Swept swept;
  for (const core::LeaseRef& ref : command.leases) swept.changed += sweep(ref) ? 1 : 0;
  return swept;
}

bool Model::sweep(const core::LeaseRef& ref) {
  ModelTask* task = find(ref.task_id);
  if (task == nullptr || !task->lease || task->fence != ref.fence) return false;
  const ModelLease& lease = *task->lease;
  const bool is_over = is_expired(lease);
  const Duration skipped = skipped_since(lease.started_at.value_or(lease.acquired_at));
  const bool is_late = lease.timeout_at && *lease.timeout_at + skipped <= now_;
  if (!is_over && !is_late) return false;
  touch(*task);
  const TrueTime& since = is_over ? lease.truly_renewed_at : lease.truly_started_at;
  rescues_.push_back(
      {.task = task,
       .due_at = is_over ? lease.expires_at + skipped_since(lease.renewed_at) : *lease.timeout_at + skipped,
       .lasted = true_time_.now - since.now,
       .promised =
           (is_over ? lease.length : *task->spec().timeout) - (true_time_.small_steps - since.small_steps)});
  const int used = task->attempt - task->budget_from;
  if (is_over) {
    const auto wait = used <= kFreeLosses ? std::optional{Duration{0}} : std::nullopt;
    fail_attempt(*task, AttemptOutcome::lease_expired, {.code = "worker_lost", .message = {}}, wait, {});
  } else {
    fail_attempt(*task, AttemptOutcome::timed_out, {.code = "timeout", .message = {}}, {}, {});
  }
  ++task->fence;
  return true;
}

core::Answer Model::run(const core::PromoteDue& command) {
  core::Swept swept;
  for (const TaskId& id : command.ids) {
    ModelTask* task = find(id);
    if (task == nullptr || task->place != Place::scheduled || task->available_to > now_) continue;
    touch(*task);
    task->place = Place::ready;
    ++swept.changed;
  }
  return swept;
}

core::Answer Model::run(const core::SetQueue& command) {
  ModelQueue& changed = queue(command.name);
  const core::QueuePatch& patch = command.patch;
  if (patch.paused) changed.is_paused = *patch.paused;
  if (patch.max_concurrency) changed.max_concurrency = *patch.max_concurrency;
  if (patch.type_concurrency) {
    changed.type_concurrency.clear();
    if (*patch.type_concurrency) changed.type_concurrency = **patch.type_concurrency;
  }
  return core::Done{};
}

void Model::claim(ModelTask& task, const std::string& worker, Duration length) {
  touch(task);
  step(task, TaskEvent::claimed);
  task.place = Place::leased;
  ++task.attempt;
  ++task.fence;
  ++task.claims;
  // A group whose clock is slightly behind does not start a lease before the task became available.
  constexpr Duration kBehindMax = std::chrono::seconds{15};
  const bool is_behind = now_ < task.available_to && task.available_to - now_ <= kBehindMax;
  const TimePoint from = is_behind ? task.available_to : now_;
  task.lease = ModelLease{.worker = worker,
                          .acquired_at = from,
                          .expires_at = from + length,
                          .length = length,
                          .renewed_at = from,
                          .truly_renewed_at = true_time_,
                          .truly_started_at = true_time_};
  if (task.spec().timeout) task.lease->timeout_at = from + *task.spec().timeout;
  ModelQueue& its_queue = queue(task.spec().queue);
  its_queue.claimed_in = transaction_;
  its_queue.type_claimed_in[task.spec().type] = transaction_;
}

void Model::touch(ModelTask& task) {
  if (task.touched_in == transaction_) return;
  task.touched_in = transaction_;
  task.status_before = task.status;
  task.may_be_either = false;
  task.wait_base = std::nullopt;
  touched_.push_back(&task);
}

void Model::step(ModelTask& task, TaskEvent event) {
  const auto row =
      std::find_if(core::kTaskTransitions.begin(), core::kTaskTransitions.end(),
                   [&](const auto& one) { return one.from == task.status && one.event == event; });
  if (row == core::kTaskTransitions.end()) {
    throw Violation{Invariant::i09, "the table has no step " + std::string{to_string(event)}, task.id};
  }
  tally_.took(task.status, event);
  task.status = row->to;
}

void Model::become_available(ModelTask& task, TimePoint from, TimePoint to) {
  task.available_from = from;
  task.available_to = to;
  if (task.status == TaskStatus::blocked) {
    task.place = Place::waiting;
  } else {
    task.place = to <= now_ ? Place::ready : Place::scheduled;
  }
}

void Model::wait_as_policy_says(ModelTask& task) {
  const WaitBounds bounds = wait_bounds(task.spec().retry, task.attempt - task.budget_from);
  become_available(task, now_ + bounds.least, now_ + bounds.most);
  task.wait_base = bounds.base;
}

void Model::end_attempt(ModelTask& task, TaskEvent event, AttemptOutcome outcome,
                        std::optional<ReportAction> by) {
  const ModelLease lease = *task.lease;
  step(task, event);
  task.past.push_back({.fence = task.fence,
                       .worker = lease.worker,
                       .outcome = outcome,
                       .status_after = task.status,
                       .ended_by = by});
  if (core::is_terminal(task.status)) {
    task.end = ModelEnd{.worker = lease.worker, .fence = task.fence, .is_forced = !by};
    finish(task);
  }
  task.lease = std::nullopt;
}

void Model::fail_attempt(ModelTask& task, AttemptOutcome outcome, const core::TaskError& error,
                         std::optional<Duration> exact_wait, std::optional<ReportAction> by) {
  const core::RetryPolicy& policy = task.spec().retry;
  const bool is_final = std::find(policy.non_retryable.begin(), policy.non_retryable.end(), error.code) !=
                        policy.non_retryable.end();
  if (task.lease->cancel_requested)
    return end_attempt(task, TaskEvent::cancelled, AttemptOutcome::cancelled, by);
  if (!error.retryable || is_final) return end_attempt(task, TaskEvent::failed, outcome, by);
  if (policy.max_attempts >= 0 && task.attempt - task.budget_from >= policy.max_attempts) {
    return end_attempt(task, TaskEvent::exhausted, outcome, by);
  }
  end_attempt(task, TaskEvent::rescheduled, outcome, by);
  if (exact_wait) return become_available(task, now_ + *exact_wait, now_ + *exact_wait);
  wait_as_policy_says(task);
}

void Model::finish(ModelTask& task) {
  task.lease = std::nullopt;
  task.place = Place::finished;
  ++task.ends;
  --open_tasks_;
  if (task.spec().key) leave_line(task);
}

void Model::leave_line(ModelTask& task) {
  ModelLine& its_line = line(task);
  if (its_line.head == &task) {
    its_line.head = nullptr;
    its_line.left_in = transaction_;
    moving_.push_back(&its_line);
    return;
  }
  const auto place = std::find(its_line.waiting.begin(), its_line.waiting.end(), &task);
  if (place != its_line.waiting.end()) its_line.waiting.erase(place);
}

void Model::advance_lines() {
  for (ModelLine* its_line : moving_) {
    if (its_line->head != nullptr || its_line->waiting.empty()) continue;
    ModelTask& next = *its_line->waiting.front();
    its_line->waiting.pop_front();
    its_line->head = &next;
    touch(next);
    step(next, TaskEvent::unblocked);
    const TimePoint available = std::max(next.available_to, now_);
    become_available(next, available, available);
  }
}

void Model::settle(ModelTask& task) {
  using core::QueueCounts;
  std::int64_t QueueCounts::*bucket = nullptr;
  switch (task.status) {
    case TaskStatus::blocked: bucket = &QueueCounts::blocked; break;
    case TaskStatus::pending:
      bucket = task.place == Place::ready ? &QueueCounts::pending : &QueueCounts::scheduled;
      break;
    case TaskStatus::claimed: bucket = &QueueCounts::claimed; break;
    case TaskStatus::running: bucket = &QueueCounts::running; break;
    case TaskStatus::dead_letter: bucket = &QueueCounts::dead_letter; break;
    default: break;
  }
  if (bucket == task.counted_as) return;
  const auto is_held = [](auto which) {
    return which == &QueueCounts::claimed || which == &QueueCounts::running;
  };
  ModelQueue& its_queue = queue(task.spec().queue);
  std::int64_t& held = its_queue.held_by_type[task.spec().type];
  if (task.counted_as != nullptr) --(its_queue.counts.*task.counted_as);
  if (is_held(task.counted_as)) --held;
  if (bucket != nullptr) ++(its_queue.counts.*bucket);
  if (is_held(bucket)) ++held;
  task.counted_as = bucket;
}

}  // namespace pawl::sim
