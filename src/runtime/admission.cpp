#include "runtime/admission.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/task/type_pattern.hpp"

namespace pawl::runtime {

using core::Result;
using core::Status;

namespace {

// Larger payloads are checked against their schemas on a thread that may take its time.
constexpr std::size_t kCheckedHereMax = 16U << 10U;

// A worker without an owner is first recorded as the actor's.
bool is_recorded_for(const core::Worker& worker, const core::Actor& by) {
  return by.id.empty() || worker.owner == by.id;
}

core::Problem at_task(const core::EnqueueTasks& command, std::size_t index, core::Problem problem) {
  const bool is_of_a_field = !problem.errors.empty();  // store errors have none
  if (command.tasks.size() == 1 || !is_of_a_field) return problem;
  const std::string prefix = fmt::format("tasks[{}].", index);
  for (core::FieldError& error : problem.errors) error.field = prefix + error.field;
  problem.detail = prefix + problem.detail;
  return problem;
}

Status check_size(std::string_view field, const core::RawJson& json, std::int64_t bytes_max) {
  const auto bytes = static_cast<std::int64_t>(json.text.size());
  if (bytes <= bytes_max) return core::Done{};
  core::Problem problem = core::invalid_field(
      std::string{field}, fmt::format("has {} bytes, this namespace keeps at most {}", bytes, bytes_max));
  problem.code = core::ProblemCode::payload_too_large;
  return problem;
}

}  // namespace

Status Admission::admit_json(const std::string& ns, std::string_view field, const core::RawJson& json) {
  if (!core::check_namespace(ns)) return core::Done{};  // the namespace is refused as invalid
  const auto found = records_.recent(core::namespace_ref(ns));
  if (!found) return found.problem();
  return check_size(field, json, payload_max_of(core::namespace_settings_from(found->record)));
}

// Invalid names pass this check: the command is refused for them later, and they must not reach the store.
Status Admission::admit(core::EnqueueTasks& command) {
  if (!core::check_namespace(command.ns)) return core::Done{};
  const auto found = records_.recent(core::namespace_ref(command.ns));
  if (!found) return found.problem();
  const core::NamespaceSettings settings = core::namespace_settings_from(found->record);
  const std::int64_t payload_max = payload_max_of(settings);
  std::map<std::string, SharedType> types;
  std::size_t schema_bytes = 0;  // of `types`
  for (std::size_t i = 0; i < command.tasks.size(); ++i) {
    core::TaskSpec& spec = command.tasks[i];
    if (!core::check_name("type", spec.type)) return core::Done{};
    auto type = types.find(spec.type);
    if (type == types.end()) {
      auto declared = declared_type(command.ns, spec.type, settings.strict_types);
      if (!declared) return at_task(command, i, declared.problem());
      if (schema_bytes >= RecordCache::kSchemaBytesMax) {
        types.clear();
        schema_bytes = 0;
      }
      schema_bytes += *declared == nullptr ? 0 : (*declared)->schema_bytes;
      type = types.emplace(spec.type, std::move(*declared)).first;
    }
    Status fits = check_size("payload", spec.payload, payload_max);
    // A payload that is not JSON is refused as such, before its schema is checked.
    if (fits && type->second) fits = core::check_json("payload", spec.payload);
    if (fits && type->second) fits = type->second->check_payload(spec.payload);
    if (!fits) return at_task(command, i, fits.problem());
    if (type->second) core::fill_in(type->second->type, spec);
  }
  return core::Done{};
}

Status Admission::fill_in_types(core::EnqueueTasks& command) {
  for (core::TaskSpec& spec : command.tasks) {
    const auto declared = declared_type(command.ns, spec.type, false);
    if (!declared) return declared.problem();
    if (*declared) core::fill_in((*declared)->type, spec);
  }
  return core::Done{};
}

bool Admission::is_cached(const core::EnqueueTasks& command) {
  if (!core::check_namespace(command.ns)) return true;  // no record is needed
  const auto found = records_.cached(core::namespace_ref(command.ns));
  if (!found) return false;
  const bool is_strict = core::namespace_settings_from(found->record).strict_types;
  std::map<std::string_view, bool> has_schema;  // by type
  std::size_t checked_bytes = 0;
  for (const core::TaskSpec& spec : command.tasks) {
    if (!core::check_name("type", spec.type)) continue;
    const auto [entry, is_new] = has_schema.try_emplace(spec.type, false);
    if (is_new) {
      const auto type = records_.cached(core::task_type_ref(command.ns, spec.type));
      if (!type || (is_strict && !type->record)) return false;
      entry->second = type->type != nullptr && !type->type->payload.fits_everything();
    }
    if (entry->second) checked_bytes += spec.payload.text.size();
  }
  return checked_bytes <= kCheckedHereMax;
}

Result<Admission::SharedType> Admission::declared_type(const std::string& ns, const std::string& name,
                                                       bool is_strict) {
  const auto record = records_.recent(core::task_type_ref(ns, name));
  if (!record) return record.problem();
  if (record->type != nullptr || !is_strict) return record->type;
  const auto is_registered = is_registered_type(ns, name);
  if (!is_registered) return is_registered.problem();
  if (*is_registered) return SharedType{};
  return core::invalid_field("type", fmt::format("{} is neither declared nor registered by a worker", name));
}

Result<bool> Admission::is_registered_type(const std::string& ns, const std::string& type) {
  core::ListRecords list{.ns = ns, .limit = core::kPageMax};
  while (true) {
    const auto page = records_.list(core::RecordKind::worker, ns, list);
    if (!page) return page.problem();
    for (const core::Record& record : page->records) {
      const core::Worker worker = core::worker_at(record, page->now);
      const auto& types = worker.task_types;
      const bool is_its = std::find(types.begin(), types.end(), type) != types.end();
      if (is_its && worker.status != core::WorkerStatus::offline) return true;
    }
    if (!page->next_cursor) return false;
    list.cursor = *page->next_cursor;
  }
}

std::int64_t Admission::payload_max_of(const core::NamespaceSettings& settings) const {
  const auto server_max = static_cast<std::int64_t>(options_.payload_max);
  return std::min(settings.payload_max.value_or(server_max), server_max);
}

Result<bool> Admission::admit(core::ClaimTasks& command) {
  const auto worker = claiming_worker(command);
  if (!worker) return worker.problem();
  const bool takes_nothing = worker->status == core::WorkerStatus::draining || worker->is_replaced;
  if (takes_nothing) return false;
  if (!command.lease) {
    auto leases = type_leases(command);
    if (!leases) return leases.problem();
    command.type_leases = std::move(*leases);
  }
  command.held_max = worker->max_concurrent;
  return true;
}

bool Admission::is_cached(const core::ClaimTasks& command) {
  const auto worker = records_.cached(core::worker_ref(command.ns, command.worker_id));
  if (!worker || !worker->record) return false;
  const core::Worker cached = core::worker_from(worker->record->body);
  if (!was_seen_recently(cached, worker->now) || !is_recorded_for(cached, command.by)) return false;
  if (command.lease) return true;
  const auto types = types_of(command);
  return std::all_of(types.begin(), types.end(), [&](const std::string& name) {
    return records_.cached(core::task_type_ref(command.ns, name)).has_value();
  });
}

// Claims are recorded now and then, as signs of life of workers that send no heartbeats.
bool Admission::was_seen_recently(const core::Worker& worker, core::TimePoint now) const {
  return now < worker.heartbeat_at + options_.worker_timeout / 3;
}

Result<core::Worker> Admission::claiming_worker(const core::ClaimTasks& command) {
  const core::WorkerRef request{
      .ns = command.ns, .worker_id = command.worker_id, .timeout = options_.worker_timeout, .by = command.by};
  const auto found = records_.recent(core::worker_ref(request.ns, request.worker_id));
  if (!found) return found.problem();
  if (found->record) {
    core::Worker worker = core::worker_from(found->record->body);
    if (was_seen_recently(worker, found->now) && is_recorded_for(worker, command.by)) return worker;
  }
  auto noted =
      records_.decide_on({core::worker_ref(request.ns, request.worker_id)}, request, core::decide_claimed_by);
  if (!noted) return noted.problem();
  return core::worker_from(*noted);
}

std::set<std::string> Admission::types_of(const core::ClaimTasks& command) {
  const auto& types = command.types;
  const bool are_named = !types.empty() && std::none_of(types.begin(), types.end(), core::is_beginning);
  if (are_named) return {types.begin(), types.end()};
  std::set<std::string> names;
  for (const std::string& queue : command.queues) {
    for (const core::Lane* lane : store_.lanes_of({.ns = command.ns, .name = queue}))
      if (core::matches_any(types, lane->type)) names.insert(lane->type);
  }
  return names;
}

Result<std::map<std::string, core::Duration>> Admission::type_leases(const core::ClaimTasks& command) {
  std::map<std::string, core::Duration> leases;
  for (const std::string& name : types_of(command)) {
    const auto declared = declared_type(command.ns, name, false);
    if (!declared) return declared.problem();
    if (*declared && (*declared)->type.lease) leases.emplace(name, *(*declared)->type.lease);
  }
  return leases;
}

// The cache may hold a previous owner, so a refusal needs a fresh read.
Status Admission::check_owner(const core::WorkerRef& worker) {
  if (worker.by.id.empty() || !check(worker)) return core::Done{};
  const auto recent = records_.recent(core::worker_ref(worker.ns, worker.worker_id));
  if (!recent) return recent.problem();
  const bool is_own = recent->record && core::is_owned_by(core::worker_from(recent->record->body), worker.by);
  if (is_own) return core::Done{};
  const auto found = records_.find(core::worker_ref(worker.ns, worker.worker_id));
  if (!found) return found.problem();
  const bool is_other =
      found->record && !core::is_owned_by(core::worker_from(found->record->body), worker.by);
  if (is_other && !core::planted(core::Canary::worker_owner_not_compared))
    return core::not_its_worker(worker.worker_id);
  return core::Done{};
}

bool Admission::is_cached(const core::WorkerRef& worker) {
  if (worker.by.id.empty()) return true;
  const auto found = records_.cached(core::worker_ref(worker.ns, worker.worker_id));
  return found && found->record && core::is_owned_by(core::worker_from(found->record->body), worker.by);
}

Status Admission::admit(const core::ReportTasks& command) {
  if (command.by.id.empty()) return core::Done{};
  return check_owner({.ns = command.ns, .worker_id = command.worker_id, .by = command.by});
}

bool Admission::is_cached(const core::ReportTasks& command) {
  return command.by.id.empty() ||
         is_cached(core::WorkerRef{.ns = command.ns, .worker_id = command.worker_id, .by = command.by});
}

core::Status Admission::admit(const core::StartRun& command) {
  return admit_json(command.ns, "input", command.input);
}

bool Admission::is_cached(const core::StartRun& command) {
  return !core::check_namespace(command.ns) || records_.cached(core::namespace_ref(command.ns)).has_value();
}

core::Status Admission::admit(core::WriteSteps& command) {
  for (const core::StepWrite& step : command.steps) {
    if (core::Status fits = admit_json(command.ns, "output", step.output); !fits) return fits;
  }
  if (command.body != core::TaskId{}) return core::Done{};
  const auto body = runs_.body_of({.ns = command.ns, .id = command.run_id});
  if (!body) return body.problem();
  command.body = *body;
  return core::Done{};
}

bool Admission::is_cached(const core::WriteSteps& command) {
  if (command.body == core::TaskId{}) return false;
  return !core::check_namespace(command.ns) || records_.cached(core::namespace_ref(command.ns)).has_value();
}

std::vector<core::Status> Admission::admit(core::WriteStepsOfMany& command) {
  std::vector<core::Status> admitted;
  std::vector<core::WriteSteps> writes;
  for (core::WriteSteps& one : command.writes) {
    if (admitted.emplace_back(admit(one))) writes.push_back(std::move(one));
  }
  command.writes = std::move(writes);
  return admitted;
}

bool Admission::is_cached(const core::WriteStepsOfMany& command) {
  return std::all_of(command.writes.begin(), command.writes.end(),
                     [this](const core::WriteSteps& one) { return is_cached(one); });
}

}  // namespace pawl::runtime
