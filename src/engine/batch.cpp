#include "engine/batch.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/ensure.hpp"

namespace pawl::engine {

using core::Answer;
using core::Command;
using core::Result;

namespace {

core::LanePlace place_of(const core::TaskSpec& spec) {
  return core::lane_place(spec.priority, spec.fairness_key.has_value());
}

bool is_lane_of(const core::Lane& lane, const std::string& ns, const core::TaskSpec& spec) {
  const core::LanePlace place{.priority = lane.priority, .fair = lane.fair};
  return place == place_of(spec) && lane.type == spec.type && lane.queue == spec.queue && lane.ns == ns &&
         lane.of_runs == spec.run_id.has_value();
}

bool goes_to_a_run(const core::TaskSpec& spec) { return spec.run_id.has_value(); }

// Collects the tasks that the commands name, and how much of each task has to be loaded.
struct LoadGatherer {
  std::unordered_map<core::TaskId, store::LoadTask>& wanted;

  void want(const store::LoadTask& wish) const {
    const auto [entry, is_first] = wanted.emplace(wish.id, wish);
    if (is_first) return;
    entry->second.facts = entry->second.facts || wish.facts;
    if (entry->second.hints.ended_lease != wish.hints.ended_lease)
      entry->second.hints.ended_lease = std::nullopt;
    if (entry->second.hints.expected_fence != wish.hints.expected_fence)
      entry->second.hints.expected_fence = std::nullopt;
  }
  void operator()(const core::ReportTasks& command) const {
    for (const core::Report& report : command.reports) {
      // Only a failure needs the retry policy; the lease alone decides the other reports.
      store::LoadTask wish{.id = report.task_id, .facts = report.action == core::ReportAction::fail};
      if (report.action == core::ReportAction::complete)
        wish.hints.ended_lease = {.fence = report.fence, .worker_id = command.worker_id};
      want(wish);
    }
  }
  void operator()(const core::CancelTasks& command) const {
    for (const core::TaskId& id : command.ids) want({.id = id});
  }
  void operator()(const core::RetryTasks& command) const {
    for (const core::TaskId& id : command.ids) want({.id = id});
  }
  void operator()(const core::SweepLeases& command) const {
    for (const core::LeaseRef& ref : command.leases) want({.id = ref.task_id, .facts = true});
  }
  void operator()(const core::PromoteDue& command) const {
    for (const core::TaskId& id : command.ids) want({.id = id});
  }
  void operator()(const core::ChangeRecords& command) const {
    for (const core::TaskId& id : command.held.ids) want({.id = id, .facts = true});
  }
  void operator()(const core::AppendCheckpoint& command) const {
    if (const auto* task = std::get_if<core::TaskId>(&command.owner)) want({.id = *task});
  }
  void operator()(const core::WriteSteps& command) const {
    store::LoadTask wish{.id = command.body, .facts = command.suspend || command.park};
    if (!wish.facts) wish.hints.expected_fence = command.fence;
    want(wish);
  }
  void operator()(const core::WriteStepsOfMany& command) const {
    for (const core::WriteSteps& write : command.writes) (*this)(write);
  }
  // A claim of the same group may get a task that a command made claimable, and shows all its facts. The
  // claim round loads those facts itself.
  template <typename Other>
  void operator()(const Other& /*command*/) const {}
};

}  // namespace

core::Problem no_such_task(const core::TaskId& id) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no task " + to_string(id)};
}

Lanes intern_lanes(store::Store& store, const std::vector<const Command*>& commands) {
  std::vector<store::LaneKey> keys;
  for (const Command* command : commands) {
    const auto* enqueue = std::get_if<core::EnqueueTasks>(command);
    if (enqueue == nullptr) continue;
    const core::TaskSpec* last = nullptr;
    for (const core::TaskSpec& spec : enqueue->tasks) {
      const core::LanePlace place = place_of(spec);
      const bool is_same = last != nullptr && place_of(*last) == place && last->type == spec.type &&
                           last->queue == spec.queue && goes_to_a_run(*last) == goes_to_a_run(spec);
      last = &spec;
      if (!is_same) {
        keys.push_back({.ns = enqueue->ns,
                        .queue = spec.queue,
                        .type = spec.type,
                        .priority = place.priority,
                        .of_runs = goes_to_a_run(spec),
                        .fair = place.fair});
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  Lanes lanes;
  if (keys.empty()) return lanes;
  const auto interned = store.intern_lanes(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) lanes.emplace(std::move(keys[i]), interned[i]);
  return lanes;
}

void Batch::load(const std::vector<const Command*>& commands) {
  std::unordered_map<core::TaskId, store::LoadTask> wanted;
  for (const Command* command : commands) std::visit(LoadGatherer{wanted}, *command);
  std::vector<store::LoadTask> tasks;
  tasks.reserve(wanted.size());
  for (const auto& [id, task] : wanted) tasks.push_back(task);
  std::sort(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  set_.load(tasks);
  load_past_attempts(commands);
  load_idempotency(commands);
  load_records(commands);
  load_queues(commands);
  lock_lines(commands);
  runs_.load(commands);
}

void Batch::load_past_attempts(const std::vector<const Command*>& commands) {
  std::vector<core::LeaseRef> refs;
  for (const Command* command : commands) {
    const auto* reports = std::get_if<core::ReportTasks>(command);
    if (reports == nullptr) continue;
    for (const core::Report& report : reports->reports) {
      const WorkingTask* task = set_.find(report.task_id);
      if (task == nullptr) continue;
      const bool is_present = task->record.lease && task->record.progress.fence == report.fence;
      if (!is_present) refs.push_back({.task_id = report.task_id, .fence = report.fence});
    }
  }
  if (refs.empty()) return;
  auto found = tx_.load({.attempts = refs}).attempts;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (found[i]) past_.emplace(std::pair{refs[i].task_id, refs[i].fence}, std::move(*found[i]));
  }
}

void Batch::load_idempotency(const std::vector<const Command*>& commands) {
  std::vector<store::IdempotencyRef> refs;
  for (const Command* command : commands) {
    const auto* enqueue = std::get_if<core::EnqueueTasks>(command);
    if (enqueue == nullptr) continue;
    for (const core::TaskSpec& spec : enqueue->tasks) {
      if (spec.idempotency_key)
        refs.push_back({.ns = enqueue->ns, .type = spec.type, .key = *spec.idempotency_key});
    }
  }
  if (refs.empty()) return;
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  const store::Loaded loaded = tx_.load({.idempotency = refs});
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (loaded.idempotency[i]) idempotency_.emplace(std::move(refs[i]), *loaded.idempotency[i]);
  }
}

void Batch::load_queues(const std::vector<const Command*>& commands) {
  std::vector<store::QueueRef> refs;
  for (const Command* command : commands) {
    const auto* set_queue = std::get_if<core::SetQueue>(command);
    if (set_queue != nullptr) refs.push_back({.ns = set_queue->ns, .name = set_queue->name});
  }
  if (refs.empty()) return;
  std::sort(refs.begin(), refs.end());
  refs.erase(std::unique(refs.begin(), refs.end()), refs.end());
  const auto locked = tx_.lock_queues(refs);
  for (std::size_t i = 0; i < refs.size(); ++i) set_.queues()[refs[i]].settings = locked[i].settings;
}

void Batch::lock_lines(const std::vector<const Command*>& commands) {
  std::vector<store::LineRef> refs;
  const auto want_line_of = [&](const core::TaskId& id) {
    const WorkingTask* task = set_.find(id);
    if (task != nullptr && task->record.facts.key) refs.push_back(line_ref(task->record));
  };
  for (const Command* command : commands) {
    if (const auto* enqueue = std::get_if<core::EnqueueTasks>(command)) {
      for (const core::TaskSpec& spec : enqueue->tasks) {
        if (spec.key) refs.push_back({.ns = enqueue->ns, .queue = spec.queue, .key = *spec.key});
      }
    } else if (const auto* reports = std::get_if<core::ReportTasks>(command)) {
      for (const core::Report& report : reports->reports) {
        const bool keeps_lease =
            report.action == core::ReportAction::heartbeat || report.action == core::ReportAction::start;
        if (!keeps_lease) want_line_of(report.task_id);
      }
    } else if (const auto* cancel = std::get_if<core::CancelTasks>(command)) {
      for (const core::TaskId& id : cancel->ids) want_line_of(id);
    } else if (const auto* retry = std::get_if<core::RetryTasks>(command)) {
      for (const core::TaskId& id : retry->ids) want_line_of(id);
    } else if (const auto* sweep = std::get_if<core::SweepLeases>(command)) {
      for (const core::LeaseRef& ref : sweep->leases) want_line_of(ref.task_id);
    } else if (const auto* change = std::get_if<core::ChangeRecords>(command)) {
      for (const core::TaskId& id : change->held.ids) want_line_of(id);
    }
  }
  set_.lock_lines(std::move(refs));
}

Result<Answer> Batch::execute(const Command& command) {
  return std::visit(
      [this](const auto& typed) -> Result<Answer> {
        if constexpr (requires { runs_.run(typed); }) {
          return runs_.run(typed);
        } else {
          return run(typed);
        }
      },
      command);
}

store::WriteSet Batch::writes() {
  runs_.confirm_guesses();
  records_.chain_audit();
  store::WriteSet writes = set_.writes();
  records_.add_to(writes);
  runs_.add_to(writes);
  add_erased_to(writes);
  return writes;
}

const core::Lane* Batch::lane_of(const std::string& ns, const core::TaskSpec& spec) {
  const bool is_same = last_lane_ != nullptr && (is_lane_of(*last_lane_, ns, spec) ||
                                                 core::planted(core::Canary::lane_reused_across_types));
  if (!is_same) {
    const core::LanePlace place = place_of(spec);
    last_lane_ = lanes_.at({.ns = ns,
                            .queue = spec.queue,
                            .type = spec.type,
                            .priority = place.priority,
                            .of_runs = goes_to_a_run(spec),
                            .fair = place.fair});
  }
  return last_lane_;
}

WorkingTask* Batch::find(const std::string& ns, const core::TaskId& id) {
  WorkingTask* task = set_.find(id);
  return task != nullptr && task->record.lane->ns == ns ? task : nullptr;
}

Result<Answer> Batch::run(const core::EnqueueTasks& command) {
  if (std::any_of(command.tasks.begin(), command.tasks.end(), goes_to_a_run)) {
    if (const core::Status allowed = runs_.check_added(command); !allowed) return allowed.problem();
  }
  std::vector<core::Enqueued> results;
  results.reserve(command.tasks.size());
  for (const core::TaskSpec& spec : command.tasks) {
    core::Enqueued& result = results.emplace_back(enqueue(command, spec));
    if (command.wants_tasks && result.created) {
      auto shown = std::make_shared<core::Task>();
      result.task = shown;
      made_.emplace_back(&set_.newest(), std::move(shown));
    }
  }
  if (!command.by.id.empty() && command.tasks.size() > 1) note_batch(command, results);
  return Answer{std::move(results)};
}

WorkingTask& Batch::add_made(const core::EnqueueTasks& command, core::TaskRecord record) {
  if (command.trace) record.facts.trace = command.trace;
  return set_.add_new(std::move(record));
}

core::Enqueued Batch::enqueue(const core::EnqueueTasks& command, const core::TaskSpec& spec) {
  const std::string& ns = command.ns;
  const core::TaskId id = spec.id.value_or(ids_.next_task(tx_.now()));
  if (!spec.idempotency_key) return make(command, spec, id);
  store::IdempotencyRef ref{.ns = ns, .type = spec.type, .key = *spec.idempotency_key};
  const auto [known, is_first] = idempotency_.emplace(std::move(ref), id);
  const bool is_promised = !is_first && known->second == id;  // the SQL function of this call stored it
  const bool is_known = !is_first && !is_promised && !core::planted(core::Canary::idempotency_forgotten);
  if (is_known) return {.created = false, .id = known->second};
  core::Enqueued made = make(command, spec, id);
  set_.newest().has_key = is_promised;
  return made;
}

core::Enqueued Batch::make(const core::EnqueueTasks& command, const core::TaskSpec& spec,
                           const core::TaskId& id) {
  const std::string& ns = command.ns;
  const core::Lane* lane = lane_of(ns, spec);
  if (spec.run_id) {
    const BatchRuns::Added added = runs_.add_task(spec, id, actor_of(command.by));
    core::TaskRecord record = core::new_task(id, *lane, spec, tx_.now(), false);
    record.facts.run = added.run;
    record.facts.trace = added.trace;
    WorkingTask& task = add_made(command, std::move(record));
    if (!added.is_held) set_.release(task);
    return {.created = true, .id = id};
  }
  if (!spec.key) {
    add_made(command, core::new_task(id, *lane, spec, tx_.now(), true));
    return {.created = true, .id = id};
  }
  const store::LineRef line{.ns = ns, .queue = spec.queue, .key = *spec.key};
  const bool is_first = set_.join_line(line, id);
  WorkingTask& task = add_made(command, core::new_task(id, *lane, spec, tx_.now(), is_first));
  if (!is_first) set_.note_waiting(line, task);
  return {.created = true, .id = id};
}

void Batch::show_made() {
  for (const auto& [task, shown] : made_) *shown = core::view_of(task->record, {});
}

void Batch::change(WorkingTask& task, const core::TaskChange& change, const core::EventActor& actor) {
  const core::TaskStatus before = task.record.status;
  set_.change(task, change);
  if (task.record.facts.run) runs_.changed(task, before, change, actor);
}

Answer Batch::run(const core::ReportTasks& command) {
  std::vector<Result<core::ReportAnswer>> results;
  results.reserve(command.reports.size());
  for (std::size_t i = 0; i < command.reports.size(); ++i) results.push_back(report(command, i));
  return results;
}

Result<core::ReportAnswer> Batch::report(const core::ReportTasks& command, std::size_t index) {
  const core::Report& report = command.reports[index];
  if (const core::Status valid = core::check(report, index); !valid) return valid.problem();
  WorkingTask* task = find(command.ns, report.task_id);
  if (task == nullptr) return no_such_task(report.task_id);
  if (const core::Status allowed = check_queue(command, *task); !allowed) return allowed.problem();
  auto decision = core::decide_report(task->record, command.worker_id, report, past_attempt(*task, report),
                                      moment_of(report));
  if (!decision) return decision.problem();
  if (report.continue_as_new && report.action == core::ReportAction::complete) {
    if (!task->record.facts.run || !core::is_body_type(task->record.lane->type))
      return core::invalid_field("continue_as_new", "is for the body of a code run only");
    if (decision->change) decision->change->continue_as_new = report.continue_as_new;
  }
  if (decision->change) change(*task, *decision->change, {.type = "worker", .id = command.worker_id});
  return decision->answer;
}

const core::Attempt* Batch::past_attempt(const WorkingTask& task, const core::Report& report) const {
  for (const core::Attempt& attempt : task.attempts) {
    if (attempt.fence == report.fence) return &attempt;
  }
  const auto stored = past_.find({report.task_id, report.fence});
  return stored == past_.end() ? nullptr : &stored->second;
}

Answer Batch::run(const core::CancelTasks& command) {
  std::vector<Result<core::TaskMoved>> results;
  results.reserve(command.ids.size());
  for (const core::TaskId& id : command.ids) results.push_back(cancel(command, id));
  note_moved("task.cancel", command.by, command.ns, command.ids, results);
  return results;
}

Result<core::TaskMoved> Batch::cancel(const core::CancelTasks& command, const core::TaskId& id) {
  WorkingTask* task = find(command.ns, id);
  if (task == nullptr) return no_such_task(id);
  auto cancelled = core::decide_cancel(task->record, tx_.now());
  if (!cancelled) return cancelled.problem();
  change(*task, *cancelled, actor_of(command.by));
  const bool is_asked = task->record.lease && task->record.lease->cancel_requested;
  return core::TaskMoved{.task_id = id, .status = task->record.status, .cancel_requested = is_asked};
}

Answer Batch::run(const core::RetryTasks& command) {
  std::vector<Result<core::TaskMoved>> results;
  results.reserve(command.ids.size());
  for (const core::TaskId& id : command.ids) results.push_back(revive(command.ns, id, command.by));
  note_moved("task.retry", command.by, command.ns, command.ids, results);
  return results;
}

Result<core::TaskMoved> Batch::revive(const std::string& ns, const core::TaskId& id, const core::Actor& by) {
  WorkingTask* task = find(ns, id);
  if (task == nullptr) return no_such_task(id);
  // Decide before the task joins its line: a task that cannot be retried must not join.
  auto change = core::decide_revive(task->record, true, tx_.now());
  if (!change) return change.problem();
  if (task->record.facts.run) {
    const core::Status taken = runs_.retry_task(*task->record.facts.run, actor_of(by));
    if (!taken) return taken.problem();
    return core::TaskMoved{.task_id = id, .status = task->record.status};
  }
  if (task->record.facts.key) {
    const store::LineRef line = line_ref(task->record);
    if (!set_.join_line(line, id)) {
      change = core::decide_revive(task->record, false, tx_.now());
      set_.note_waiting(line, *task);
    }
  }
  set_.change(*task, *change);
  return core::TaskMoved{.task_id = id, .status = task->record.status};
}

Answer Batch::run(const core::SetQueue& command) {
  WorkingQueue& queue = set_.queues()[{.ns = command.ns, .name = command.name}];
  queue.settings = core::patched(std::move(queue.settings), command.patch);
  queue.is_changed = true;
  records_.note(core::audit_of(command.by, command.ns, "queue.set", command.name));
  return core::Done{};
}

Answer Batch::run(const core::SweepLeases& command) {
  core::Swept swept;
  for (const core::LeaseRef& ref : command.leases) {
    WorkingTask* task = set_.find(ref.task_id);
    if (task == nullptr) continue;
    const auto swept_out = core::decide_sweep(task->record, ref.fence, moment());
    if (!swept_out) continue;
    change(*task, *swept_out, {.type = "recovery"});
    ++swept.changed;
  }
  return swept;
}

Answer Batch::run(const core::PromoteDue& command) {
  core::Swept swept;
  for (const core::TaskId& id : command.ids) {
    WorkingTask* task = set_.find(id);
    if (task == nullptr) continue;
    const auto change = core::decide_promote(task->record, tx_.now());
    if (!change) continue;
    set_.change(*task, *change);
    ++swept.changed;
  }
  return swept;
}

Answer Batch::run(const core::ClaimTasks& /*command*/) {
  PAWL_ENSURE(false, "claims are served by a ClaimRound");
  return core::Done{};
}

Answer Batch::run(const core::DoOnce& /*command*/) {
  PAWL_ENSURE(false, "the engine looks inside what is to be done once");
  return core::Done{};
}

}  // namespace pawl::engine
