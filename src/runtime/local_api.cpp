#include "runtime/local_api.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/cursor.hpp"
#include "runtime/gate.hpp"
#include "runtime/guarded.hpp"
#include "runtime/kept_answer.hpp"

namespace pawl::runtime {

using core::Answer;
using core::Result;
using core::TaskStatus;

namespace {

store::TaskFilter filter_of(const core::TaskQuery& query) {
  return {.ns = query.ns,
          .statuses = query.statuses,
          .queue = query.queue,
          .type = query.type,
          .key = query.key,
          .worker_id = query.worker_id,
          .run = query.run_id,
          .label = query.label,
          .created_after = query.created_after,
          .created_before = query.created_before};
}

// An invalid key must not reach the store.
core::Status check_ref(const core::RecordRef& ref) {
  const char* field = "key";
  if (ref.kind == core::RecordKind::worker) field = "worker_id";
  if (ref.kind == core::RecordKind::task_type) field = "type";
  if (ref.kind == core::RecordKind::token) field = "id";
  if (ref.kind == core::RecordKind::definition || ref.kind == core::RecordKind::schedule) field = "name";
  const core::Status ns = ref.ns.empty() ? core::Status{core::Done{}} : core::check_namespace(ref.ns);
  return core::first_of({ns, core::check_key(field, ref.key)});
}

core::Status check_query(const core::TaskQuery& query) {
  if (const core::Status ns = core::check_namespace(query.ns); !ns) return ns;
  for (const auto& [field, value] : {std::pair{"queue", &query.queue}, std::pair{"type", &query.type},
                                     std::pair{"worker_id", &query.worker_id}}) {
    if (!*value) continue;
    if (const core::Status name = core::check_name(field, **value); !name) return name;
  }
  if (query.label) {
    const auto& [name, value] = *query.label;
    if (const core::Status label = core::check_name("label", name); !label) return label;
    if (const core::Status label = core::check_key("label", value); !value.empty() && !label) return label;
  }
  return query.key ? core::check_key("key", *query.key) : core::Status{core::Done{}};
}

}  // namespace

core::Status LocalApi::check_limit(int limit) {
  if (limit >= 1 && limit <= core::kPageMax) return core::Done{};
  return core::invalid_field("limit", fmt::format("must be from 1 to {}, not {}", core::kPageMax, limit));
}

core::Problem LocalApi::not_made_yet(const core::Uuid& id) {
  return {.code = core::ProblemCode::unavailable,
          .detail = fmt::format("task {} waits for earlier tasks of its key that are being created; retry",
                                to_string(id))};
}

std::unique_ptr<LocalApi> LocalApi::once(core::DoOnce key) {
  return std::unique_ptr<LocalApi>{new LocalApi{*this, std::move(key)}};
}

Result<Answer> LocalApi::call(core::Command&& command) {
  if (!once_) return submit_and_wait(std::move(command));
  core::DoOnce keyed = *once_;
  if (!keyed.keep) keyed.keep = keep_answer;
  const auto keep = keyed.keep;
  keyed.command = std::make_shared<core::AnyCommand>(core::AnyCommand{std::move(command)});
  auto answer = submit_and_wait(std::move(keyed));
  if (!answer) return answer;  // nothing was stored: the next try uses the key too
  const auto* replayed = std::get_if<core::Replayed>(&*answer);
  is_replayed_ = replayed != nullptr;
  // A refused change of a task is an answer with which the engine stores no key.
  if (is_replayed_ || keep(*answer)) once_.reset();
  return replayed == nullptr ? answer : kept_answer(replayed->kept);
}

Result<Answer> LocalApi::submit_and_wait(core::Command&& command) {
  std::optional<Result<Answer>> answer;
  Gate came;
  submit_(std::move(command), [&answer, &came](Result<Answer> result) {
    answer.emplace(std::move(result));
    came.open();
  });
  came.wait();
  return std::move(*answer);
}

Result<core::EnqueuedTask> LocalApi::enqueue(const std::string& ns, core::TaskSpec spec) {
  core::EnqueueTasks command{.ns = ns, .wants_tasks = true};
  command.tasks.push_back(std::move(spec));
  auto enqueued = enqueue_batch(std::move(command));
  if (!enqueued) return enqueued.problem();
  if (const auto& made = enqueued->front().task) return core::EnqueuedTask{.created = true, .task = *made};
  auto stored = get_task(ns, enqueued->front().id);
  if (!stored) return stored.problem();
  return core::EnqueuedTask{.created = enqueued->front().created, .task = std::move(stored->task)};
}

Result<std::vector<core::Enqueued>> LocalApi::enqueue_batch(core::EnqueueTasks command) {
  if (const core::Status fits = admit(command); !fits) return fits.problem();
  return call_for<std::vector<core::Enqueued>>(std::move(command));
}

Result<std::vector<core::ClaimedTask>> LocalApi::claim(core::ClaimTasks command) {
  if (const core::Status valid = core::check(core::Command{command}); !valid) return valid.problem();
  const auto is_admitted = admit(command);
  if (!is_admitted) return is_admitted.problem();
  if (!*is_admitted) return std::vector<core::ClaimedTask>{};
  return call_for<std::vector<core::ClaimedTask>>(std::move(command));
}

Result<std::vector<Result<core::ReportAnswer>>> LocalApi::report(core::ReportTasks command) {
  return call_for<std::vector<Result<core::ReportAnswer>>>(std::move(command));
}

template <typename Command>
Result<core::Task> LocalApi::move_one(Command command) {
  const std::string ns = command.ns;
  const auto move = [&]() -> Result<core::TaskMoved> {
    auto moved = call_for<std::vector<Result<core::TaskMoved>>>(Command{command});
    if (!moved) return moved.problem();
    return std::move(moved->front());
  };
  const auto first = with_promised(command.ids.front(), move);
  if (!first) return first.problem();
  auto stored = get_task(ns, first->task_id);
  if (!stored) return stored.problem();
  return std::move(stored->task);
}

Result<core::Task> LocalApi::cancel_task(const core::MoveTask& request) {
  return move_one(core::CancelTasks{.ns = request.ns, .ids = {request.id}, .by = request.by});
}

Result<core::Task> LocalApi::retry_task(const core::MoveTask& request) {
  return move_one(core::RetryTasks{.ns = request.ns, .ids = {request.id}, .by = request.by});
}

Result<std::vector<core::TaskId>> LocalApi::list_all(store::TaskPage page, std::size_t limit) {
  return guarded([&]() -> Result<std::vector<core::TaskId>> {
    std::vector<core::TaskId> all;
    while (all.size() < limit) {
      page.limit = std::min<std::size_t>(core::kPageMax, limit - all.size());
      const auto ids = store_.list_task_ids(page);
      if (ids.empty()) break;
      page.after = ids.back();
      all.insert(all.end(), ids.begin(), ids.end());
    }
    return all;
  });
}

// Finds all tasks before it changes the first: canceling the head of a line makes the next one match. Then
// each page is a command of its own, so that a bulk change delays other commands only briefly.
template <typename Command>
Result<core::BulkResult> LocalApi::move_many(const core::BulkTasks& bulk,
                                             std::vector<TaskStatus> default_statuses) {
  if (const core::Status valid = check_query(bulk.query); !valid) return valid.problem();
  if (bulk.limit < 1 || bulk.limit > core::kBulkTasksMax) {
    return core::invalid_field("limit",
                               fmt::format("must be from 1 to {}, not {}", core::kBulkTasksMax, bulk.limit));
  }
  store::TaskPage page{.filter = filter_of(bulk.query), .newest_first = false};
  if (page.filter.statuses.empty()) page.filter.statuses = std::move(default_statuses);
  const auto ids = list_all(std::move(page), static_cast<std::size_t>(bulk.limit));
  if (!ids) return ids.problem();
  core::BulkResult result{.matched = static_cast<int>(ids->size())};
  if (bulk.dry_run) return result;
  for (auto first = ids->begin(); first != ids->end();) {
    const auto last = first + std::min<std::ptrdiff_t>(core::kPageMax, ids->end() - first);
    auto moved = call_for<std::vector<Result<core::TaskMoved>>>(
        Command{.ns = bulk.query.ns, .ids = {first, last}, .by = bulk.by});
    if (!moved) return moved.problem();
    result.changed += static_cast<int>(
        std::count_if(moved->begin(), moved->end(), [](const auto& one) { return one.ok(); }));
    first = last;
  }
  return result;
}

Result<core::BulkResult> LocalApi::cancel_tasks(const core::BulkTasks& bulk) {
  return move_many<core::CancelTasks>(
      bulk, {TaskStatus::blocked, TaskStatus::pending, TaskStatus::claimed, TaskStatus::running});
}

Result<core::BulkResult> LocalApi::retry_tasks(const core::BulkTasks& bulk) {
  return move_many<core::RetryTasks>(bulk, {TaskStatus::failed, TaskStatus::dead_letter});
}

engine::RunInputs LocalApi::run_inputs() {
  return engine::RunInputs{[this](const core::RunId& id) -> std::optional<core::RawJson> {
    const auto stored = store_.find_run(id, {});
    if (!stored || !stored->misfit.empty()) return std::nullopt;
    return stored->run.facts.input;
  }};
}

Result<core::TaskWithAttempts> LocalApi::get_task(const std::string& ns, const core::TaskId& id) {
  if (const core::Status valid = core::check_namespace(ns); !valid) return valid.problem();
  return with_promised(id, [&] { return find_task(ns, id); });
}

Result<core::TaskWithAttempts> LocalApi::find_task(const std::string& ns, const core::TaskId& id) {
  return guarded([&]() -> Result<core::TaskWithAttempts> {
    auto stored = store_.find_task(id);
    if (!stored || stored->record.lane->ns != ns) {
      return core::Problem{.code = core::ProblemCode::not_found,
                           .detail = "there is no task " + to_string(id)};
    }
    run_inputs().fill_in(stored->record.facts);
    return core::TaskWithAttempts{.task = core::view_of(stored->record, stored->attempts),
                                  .attempts = core::attempts_of(stored->record, stored->attempts)};
  });
}

Result<core::Page<core::Task>> LocalApi::list_tasks(const core::ListTasks& list) {
  if (const core::Status valid = check_query(list.query); !valid) return valid.problem();
  if (const core::Status valid = check_limit(list.limit); !valid) return valid.problem();
  const auto after = core::task_from_cursor(list.cursor);
  if (!after) return after.problem();
  return guarded([&]() -> Result<core::Page<core::Task>> {
    const auto limit = static_cast<std::size_t>(list.limit);
    // One more than requested shows whether there is a next page.
    auto stored = store_.list_tasks({.filter = filter_of(list.query),
                                     .newest_first = list.newest_first,
                                     .after = *after,
                                     .limit = limit + 1});
    core::Page<core::Task> page;
    bool has_more = stored.size() > limit;
    if (has_more) stored.pop_back();
    engine::RunInputs inputs = run_inputs();
    std::size_t bytes = 0;
    for (store::StoredTask& task : stored) {
      has_more = has_more || bytes >= core::kPagePayloadBytesMax;
      if (bytes >= core::kPagePayloadBytesMax) break;
      inputs.fill_in(task.record.facts);
      bytes += task.record.facts.payload.text.size();
      page.items.push_back(core::view_of(task.record, task.attempts));
    }
    const bool is_one_short = page.items.size() > 1 && core::planted(core::Canary::page_repeats_its_last_row);
    if (has_more) page.next_cursor = core::cursor_after((page.items.rbegin() + (is_one_short ? 1 : 0))->id);
    return page;
  });
}

Result<core::CheckpointAppended> LocalApi::append_checkpoint(core::AppendCheckpoint command) {
  if (const core::Status size = admit_json(command.ns, "snapshot", command.snapshot); !size)
    return size.problem();
  if (core::check_namespace(command.ns)) {  // otherwise the command is refused for its namespace
    const auto settings = recent_record(core::namespace_ref(command.ns));
    if (!settings) return settings.problem();
    command.kept = core::namespace_settings_from(settings->record)
                       .retention_checkpoints.value_or(options_.checkpoints_kept);
  }
  return with_promised(core::id_of(command.owner),
                       [&] { return call_for<core::CheckpointAppended>(core::AppendCheckpoint{command}); });
}

core::Status LocalApi::find_owner(const std::string& ns, const core::CheckpointOwner& owner) {
  if (const auto* run = std::get_if<core::RunId>(&owner)) {
    const auto found = read_run({.ns = ns, .id = *run}, {});
    return found ? core::Status{core::Done{}} : found.problem();
  }
  const auto found = get_task(ns, std::get<core::TaskId>(owner));
  return found ? core::Status{core::Done{}} : found.problem();
}

Result<std::vector<core::Checkpoint>> LocalApi::list_checkpoints(const core::ListCheckpoints& list) {
  if (list.type) {
    if (const core::Status type = core::check_checkpoint_type(*list.type); !type) return type.problem();
  }
  if (const core::Status owner = find_owner(list.ns, list.owner); !owner) return owner.problem();
  return guarded([&]() -> Result<std::vector<core::Checkpoint>> {
    return store_.list_checkpoints(
        {.owner = core::id_of(list.owner), .type = list.type, .latest = list.latest});
  });
}

Result<core::CheckpointSummary> LocalApi::summarize_checkpoints(const std::string& ns,
                                                                const core::CheckpointOwner& owner) {
  if (const core::Status found = find_owner(ns, owner); !found) return found.problem();
  return guarded(
      [&]() -> Result<core::CheckpointSummary> { return store_.summarize_checkpoints(core::id_of(owner)); });
}

Result<RecordNow> LocalApi::find_record(const core::RecordRef& ref) {
  if (const core::Status valid = check_ref(ref); !valid) return valid.problem();
  return guarded([&]() -> Result<RecordNow> {
    RecordNow found{.record = store_.find_record(ref), .now = store_.now()};
    if (found.record) core::skip_jumps(*found.record, store_.clock_state());
    return found;
  });
}

Result<core::RecordAnswer> LocalApi::change(core::ChangeRecords command) {
  const std::vector<core::RecordRef> refs = command.refs;
  auto answer = call_for<core::RecordAnswer>(std::move(command));
  shared_->records.forget(refs);
  return answer;
}

// The cursor is opaque to callers: "k" and the last key.
Result<LocalApi::RecordsNow> LocalApi::list_records(core::RecordKind kind, const std::string& ns,
                                                    const core::ListRecords& list) {
  if (const core::Status valid = check_limit(list.limit); !valid) return valid.problem();
  if (!ns.empty()) {
    if (const core::Status valid = core::check_namespace(ns); !valid) return valid.problem();
  }
  if (!list.cursor.empty() && (list.cursor.front() != 'k' || !core::check_key("cursor", list.cursor)))
    return core::invalid_field("cursor", "is not a cursor of this server");
  return guarded([&]() -> Result<RecordsNow> {
    const auto limit = static_cast<std::size_t>(list.limit);
    const std::string after = list.cursor.empty() ? "" : list.cursor.substr(1);
    RecordsNow page;
    page.records = store_.list_records({.kind = kind, .ns = ns, .after_key = after, .limit = limit + 1});
    page.now = store_.now();
    const core::ClockState clock = store_.clock_state();
    for (core::Record& record : page.records) core::skip_jumps(record, clock);
    if (page.records.size() > limit) {
      page.records.pop_back();
      page.next_cursor = "k" + page.records.back().ref.key;
    }
    return page;
  });
}

Result<LocalApi::TaskLease> LocalApi::lease_of(const std::string& ns, const core::TaskId& id) {
  return guarded([&]() -> Result<TaskLease> {
    const auto task = store_.find_task(id);
    if (!task || task->record.lane->ns != ns) return TaskLease{};
    return TaskLease{.fence = task->record.lease ? task->record.progress.fence : 0,
                     .queue = task->record.lane->queue};
  });
}

Result<std::vector<core::TaskId>> LocalApi::held_by(const std::string& ns, const std::string& worker_id) {
  return guarded([&]() -> Result<std::vector<core::TaskId>> {
    return store_.list_task_ids(
        {.filter = {.ns = ns, .statuses = {TaskStatus::claimed, TaskStatus::running}, .worker_id = worker_id},
         .newest_first = false,
         .limit = core::kGroupTasksMax});
  });
}

Result<core::Done> LocalApi::append_audit(std::vector<core::AuditEntry> entries) {
  const auto noted = change({.decide = [entries = std::move(entries)](core::FoundRecords, core::TimePoint) {
    return Result<core::RecordDecision>{core::RecordDecision{.audit = entries}};
  }});
  if (!noted) return noted.problem();
  return core::Done{};
}

Result<core::Page<core::AuditEntry>> LocalApi::list_audit(const core::ListAudit& list) {
  if (const core::Status valid = check_limit(list.limit); !valid) return valid.problem();
  std::optional<std::int64_t> before;
  if (!list.cursor.empty()) {
    std::int64_t number = 0;
    const char* end = list.cursor.data() + list.cursor.size();
    const auto [stop, error] = std::from_chars(list.cursor.data(), end, number);
    if (error != std::errc{} || stop != end)
      return core::invalid_field("cursor", "is not a cursor of this server");
    before = number;
  }
  return guarded([&]() -> Result<core::Page<core::AuditEntry>> { return read_audit(list, before); });
}

// Newest first. Entries that the filter excludes are read too, up to a bound.
core::Page<core::AuditEntry> LocalApi::read_audit(const core::ListAudit& list,
                                                  std::optional<std::int64_t> before) {
  constexpr std::size_t kReadMax = 5'000;
  const auto limit = static_cast<std::size_t>(list.limit);
  const bool is_filtered = list.filter != core::AuditFilter{};
  const std::size_t at_once = is_filtered ? std::size_t{core::kPageMax} : limit + 1;
  core::Page<core::AuditEntry> page;
  for (std::size_t read = 0; read < kReadMax;) {
    const auto entries = store_.list_audit({.after = before, .limit = at_once});
    for (const core::AuditEntry& entry : entries) {
      const bool is_past = list.filter.created_after && entry.at < *list.filter.created_after;
      if (is_past) return page;
      before = entry.sequence;
      if (!core::matches(list.filter, entry)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = std::to_string(page.items.back().sequence);
        return page;
      }
      page.items.push_back(entry);
    }
    read += entries.size();
    if (entries.size() < at_once) return page;
  }
  page.next_cursor = std::to_string(*before);
  return page;
}

Result<std::vector<core::Queue>> LocalApi::list_queues(const std::string& ns) {
  if (const core::Status valid = core::check_namespace(ns); !valid) return valid.problem();
  return guarded([&]() -> Result<std::vector<core::Queue>> { return store_.list_queues(ns); });
}

Result<core::Done> LocalApi::set_queue(core::SetQueue command) {
  return call_for<core::Done>(std::move(command));
}

}  // namespace pawl::runtime
