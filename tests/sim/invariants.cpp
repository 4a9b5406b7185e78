// The invariants of RELIABILITY, one function each.
#include <fmt/format.h>

#include "tests/sim/checker.hpp"

namespace pawl::sim {

using core::Place;

void Checker::broken(Invariant invariant, const std::string& what, const TaskId& task) const {
  throw Violation{invariant, what, task};
}

void Checker::i01_is_kept(const Submission& asked) {
  tally_.saw(Invariant::i01);
  if (!asked.task)
    throw Violation{Invariant::i01, fmt::format("enqueue {} was acknowledged and is gone", asked.number)};
  if (!store_.find_task(*asked.task))
    broken(Invariant::i01, "an acknowledged task is not in the store", *asked.task);
}

void Checker::i02_was_asked_for(const core::TaskRecord& record) {
  tally_.saw(Invariant::i02);
  const auto number = Model::number_in(record.facts.payload);
  const Submission* asked = number ? model_.submission(*number) : nullptr;
  if (asked == nullptr) broken(Invariant::i02, "no client enqueued this task", record.id);
  if (asked->is_refused) broken(Invariant::i02, "the enqueue of this task was refused", record.id);
  const core::TaskSpec& spec = asked->spec;
  const bool is_same = record.lane->queue == spec.queue && record.lane->type == spec.type &&
                       record.lane->priority == spec.priority && record.facts.key == spec.key &&
                       record.facts.idempotency_key == spec.idempotency_key &&
                       record.facts.retry == spec.retry && record.facts.timeout == spec.timeout &&
                       record.facts.labels == spec.labels;
  if (!is_same) broken(Invariant::i02, "the task is not the one that was asked for", record.id);
}

void Checker::i04_one_holder(const ModelTask& task) {
  tally_.saw(Invariant::i04);
  if (task.lease) broken(Invariant::i04, "claimed while " + task.lease->worker + " holds it", task.id);
}

// By true time, regardless of steps of the store's clock.
void Checker::i04_leases_last() {
  constexpr Duration kSlack = std::chrono::milliseconds{300};
  if (!is_one_process_) return;
  for (const Rescue& rescue : model_.rescues()) {
    tally_.saw(Invariant::i04);
    if (rescue.lasted + kSlack < rescue.promised)
      broken(Invariant::i04,
             fmt::format("its lease ended after {} of {}", core::format_duration(rescue.lasted),
                         core::format_duration(rescue.promised)),
             rescue.task->id);
  }
}

void Checker::i05_fence_rises(const ModelTask& task, std::int64_t fence) {
  tally_.saw(Invariant::i05);
  if (fence != task.fence) {
    broken(Invariant::i05, fmt::format("the fence is {} and should be {}", fence, task.fence), task.id);
  }
}

void Checker::i06_stale_changed_nothing(const core::Report& report, bool is_refused) {
  tally_.saw(Invariant::i06);
  if (!is_refused) {
    broken(Invariant::i06, fmt::format("a report with fence {} was accepted and is stale", report.fence),
           report.task_id);
  }
}

// The status must be the result of the transition table and the transaction's commands.
void Checker::i07_i09_status(const ModelTask& task, TaskStatus actual) {
  const bool is_touched = task.touched_in == model_.transaction();
  const TaskStatus before = is_touched ? task.status_before : task.status;
  tally_.saw(core::is_terminal(before) ? Invariant::i07 : Invariant::i09);
  if (actual == task.status) return;
  const std::string what =
      fmt::format("the task is {} and should be {}", to_string(actual), to_string(task.status));
  if (core::is_terminal(before)) broken(Invariant::i07, what, task.id);
  const bool is_held = task.lease && !model_.is_expired(*task.lease);
  if (is_held && !core::is_leased(actual))
    broken(Invariant::i04, "taken from its live holder: " + what, task.id);
  if (task.status == TaskStatus::dead_letter) broken(Invariant::i10, what, task.id);
  const bool is_of_line = actual == TaskStatus::blocked || task.status == TaskStatus::blocked;
  broken(is_of_line ? Invariant::i16 : Invariant::i09, what, task.id);
}

// Any difference after a stale report was caused by that report.
void Checker::i06_stale_had_no_effect(const ModelTask& task, const store::StoredTask& row) {
  if (task.stale_in != model_.transaction()) return;
  const core::TaskRecord& record = row.record;
  const auto expiry = [](const auto& lease) {
    return lease ? std::optional{lease->expires_at} : std::nullopt;
  };
  const auto start = [](const auto& lease) { return lease ? lease->started_at : std::nullopt; };
  const bool is_same = record.status == task.status && record.progress.fence == task.fence &&
                       row.attempts.size() == task.past.size() &&
                       expiry(record.lease) == expiry(task.lease) && start(record.lease) == start(task.lease);
  if (is_same) return;
  std::string what = "a stale report had an effect";
  if (task.lease) {
    what += fmt::format(" at {}: the lease was renewed at {} until {}, and the clock has stepped {} times",
                        core::format_time(model_.now()), core::format_time(task.lease->renewed_at),
                        core::format_time(task.lease->expires_at), begun_.clock.steps);
    for (const core::ClockStep& step : begun_.clock.recent)
      what += fmt::format("; at {} by {} us, skipping {} us", core::format_time(step.at), step.by.count(),
                          step.jump.count());
  }
  broken(Invariant::i06, what, task.id);
}

void Checker::i08_one_end(const ModelTask& task, const core::TaskRecord& record) {
  if (core::is_terminal(task.status) != record.end.has_value()) {
    broken(Invariant::i08, "a task has an end if and only if it has ended", task.id);
  }
  if (!record.end) return;
  tally_.saw(Invariant::i08);
  if (task.ends != 1) broken(Invariant::i08, fmt::format("it ended {} times", task.ends), task.id);
  if (record.end->fence != task.end->fence || record.end->worker_id != task.end->worker) {
    broken(Invariant::i08, "its stored end is not that of the accepted report", task.id);
  }
  if (task.status != TaskStatus::completed) return;
  bool is_executed = false;
  for (const auto& [fence, worker] : task.executions) {
    is_executed = is_executed || (fence == task.end->fence && worker == task.end->worker);
  }
  if (!is_executed) broken(Invariant::i08, "it was completed by somebody who never had it", task.id);
  if (record.end->output.text != fmt::format("{{\"fence\":{}}}", task.end->fence)) {
    broken(Invariant::i08, "its result is not that of the execution that completed it", task.id);
  }
}

void Checker::i10_attempts(const ModelTask& task, const store::StoredTask& row) {
  tally_.saw(Invariant::i10);
  const core::Progress& progress = row.record.progress;
  if (progress.attempt != task.claims - task.releases || progress.budget_from != task.budget_from) {
    broken(
        Invariant::i10,
        fmt::format("attempt {} of {} claims and {} releases", progress.attempt, task.claims, task.releases),
        task.id);
  }
  const int most = task.spec().retry.max_attempts;
  if (most >= 0 && progress.attempt - progress.budget_from > most) {
    broken(Invariant::i10,
           fmt::format("attempt {} of at most {}", progress.attempt - progress.budget_from, most), task.id);
  }
  bool is_same = row.attempts.size() == task.past.size();
  if (is_same && !task.past.empty()) {
    const core::Attempt& stored = row.attempts.back();
    const PastAttempt& past = task.past.back();
    is_same = stored.fence == past.fence && stored.worker_id == past.worker &&
              stored.outcome == past.outcome && stored.status_after == past.status_after;
  }
  if (!is_same) broken(Invariant::i10, "the attempts on record are not those that were made", task.id);
}

void Checker::i11_may_be_claimed(const ModelTask& task) {
  tally_.saw(Invariant::i11);
  const bool is_due_now = task.touched_in == model_.transaction() && task.available_from <= model_.now();
  if (task.place != Place::ready && !is_due_now) broken(Invariant::i11, "claimed before it was due", task.id);
  if (task.available_from > model_.latest()) broken(Invariant::i11, "claimed before its time", task.id);
  if (model_.queue(task.spec().queue).is_paused)
    broken(Invariant::i11, "claimed from a paused queue", task.id);
}

void Checker::i12_waits_as_policy_says(ModelTask& task, const core::TaskRecord& record) {
  const TimePoint actual = record.available_at;
  if (actual < task.available_from || actual > task.available_to) {
    broken(Invariant::i12,
           fmt::format("available at {}, should be from {} to {}", core::format_time(actual),
                       core::format_time(task.available_from), core::format_time(task.available_to)),
           task.id);
  }
  if (task.wait_base && task.touched_in == model_.transaction()) {
    tally_.saw(Invariant::i12);
    const double reach = static_cast<double>(task.wait_base->count()) * task.spec().retry.jitter;
    const auto off = static_cast<double>((actual - model_.now() - *task.wait_base).count());
    if (reach > 10'000) tally_.spread_by(off / reach);
    task.wait_base = std::nullopt;
  }
  task.available_from = actual;
  task.available_to = actual;
}

void Checker::i13_found_in_time() {
  if (!healed_at_) return;
  for (const Rescue& rescue : model_.rescues()) {
    tally_.saw(Invariant::i13);
    const Duration since = std::max(clock_.moment_of(rescue.due_at), *healed_at_);
    const Duration late = scheduler_.now() - since;
    if (late > rescue_bound_) {
      broken(Invariant::i13, "its lease was over for " + core::format_duration(late), rescue.task->id);
    }
  }
}

void Checker::i14_leased_iff_running(const ModelTask& task, const core::TaskRecord& record) {
  tally_.saw(Invariant::i14);
  const bool is_leased = core::is_leased(record.status);
  if (is_leased != record.lease.has_value() || is_leased != (record.place == Place::leased)) {
    broken(Invariant::i14, "status, place and lease do not agree", task.id);
  }
  if (!is_leased) return;
  const core::Lease& lease = *record.lease;
  const ModelLease& wanted = *task.lease;
  const bool is_same = lease.worker_id == wanted.worker && lease.acquired_at == wanted.acquired_at &&
                       lease.expires_at == wanted.expires_at && lease.started_at == wanted.started_at &&
                       lease.timeout_at == wanted.timeout_at && lease.renewals == wanted.renewals &&
                       lease.cancel_requested == wanted.cancel_requested;
  if (!is_same) broken(Invariant::i14, "the lease differs from the reply to its holder", task.id);
}

void Checker::i15_limits_hold(const std::string& name, const ModelQueue& queue) {
  if (queue.max_concurrency || !queue.type_concurrency.empty()) tally_.saw(Invariant::i15);
  if (queue.max_concurrency && queue.held() > *queue.max_concurrency) {
    throw Violation{Invariant::i15, fmt::format("{} tasks of {} are held, at most {} may be", queue.held(),
                                                name, *queue.max_concurrency)};
  }
  for (const auto& [type, most] : queue.type_concurrency) {
    const auto claimed = queue.type_claimed_in.find(type);
    // A lowered limit takes no tasks from their holders, but it allows no further claims either.
    if (claimed == queue.type_claimed_in.end() || claimed->second != model_.transaction()) continue;
    const auto held = queue.held_by_type.find(type);
    if (held->second > most) {
      throw Violation{Invariant::i15, fmt::format("{} tasks of {} {} are held, at most {} may be",
                                                  held->second, name, type, most)};
    }
  }
}

void Checker::i16_is_first_of_its_key(const ModelTask& task) {
  if (!task.spec().key) return;
  tally_.saw(Invariant::i16);
  const ModelLine* line = model_.line_of(task);
  if (line == nullptr || line->head != &task) broken(Invariant::i16, "claimed before its turn", task.id);
}

}  // namespace pawl::sim
