#include "core/records/worker.hpp"

#include <array>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/json/body.hpp"
#include "core/records/token.hpp"
#include "core/task/command.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, 3> kWorkerStatusNames{"online", "draining", "offline"};
constexpr int kMaxConcurrentMax = 1'000'000;

RawJson encode(const Worker& worker) {
  Body body;
  body.put("worker_id", worker.worker_id);
  body.put("owner", worker.owner);
  body.put("status", static_cast<int>(worker.status));
  body.put("queues", worker.queues);
  body.put("task_types", worker.task_types);
  body.put("workflow_types", worker.workflow_types);
  body.put("hostname", worker.hostname);
  body.put("pid", worker.pid);
  body.put("version", worker.version);
  body.put("max_concurrent", worker.max_concurrent);
  body.put("labels", worker.labels);
  body.put("active_count", worker.active_count);
  body.put("total_completed", worker.total_completed);
  body.put("total_failed", worker.total_failed);
  body.put("is_minimal", worker.is_minimal);
  body.put("is_replaced", worker.is_replaced);
  body.put("registered_at", worker.registered_at);
  body.put("heartbeat_at", worker.heartbeat_at);
  return body.text();
}

RecordChange put(const std::string& ns, const Worker& worker, TimePoint expires_at) {
  return {.ref = worker_ref(ns, worker.worker_id), .body = encode(worker), .expires_at = expires_at};
}

RecordChange put_offline(const std::string& ns, const Worker& worker, TimePoint now) {
  return put(ns, worker, now + kOfflineWorkerKept);
}

// The worker is alive; it counts as lost if it sends no heartbeat until `expires_at`.
RecordDecision heard_of(const std::string& ns, const Worker& worker, TimePoint expires_at) {
  RecordDecision decision{.answer = encode(worker)};
  decision.changes.push_back(put(ns, worker, expires_at));
  return decision;
}

RecordChange put_process(const RecordRef& ref, const std::string& worker_id) {
  Body body;
  body.put("worker_id", worker_id);
  return {.ref = ref, .body = body.text()};
}

Problem no_such_worker(const std::string& worker_id) {
  return {.code = ProblemCode::not_found, .detail = fmt::format("there is no worker {}", worker_id)};
}

Problem is_offline(const std::string& worker_id) {
  return {.code = ProblemCode::invalid_state, .detail = fmt::format("worker {} is offline", worker_id)};
}

Status check_names(std::string_view field, const std::vector<std::string>& names) {
  if (names.size() > kClaimTypesMax)
    return invalid_field(std::string{field}, fmt::format("has over {} entries", kClaimTypesMax));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Status name = check_name(fmt::format("{}[{}]", field, i), names[i]);
    if (!name) return name;
  }
  return Done{};
}

Status check_optional(std::string_view field, const std::string& text) {
  return text.empty() ? Status{Done{}} : check_name(field, text);
}

// The queue for runs of its workflows that name none: its first queue, unless it also polls `default`.
RawJson offer_of(const RegisterWorker& request) {
  Body offer;
  const auto& queues = request.queues;
  const bool has_default = std::find(queues.begin(), queues.end(), kQueueDefault) != queues.end();
  if (!queues.empty() && !has_default) offer.put("queue", queues.front());
  return offer.text();
}

// The last of the records found are those of the offered workflows. A token that is bound to queues can offer
// no workflow whose runs go to another queue.
Status note_offered(const Registration& registration, FoundRecords found, RecordDecision& decision) {
  const auto& bound_to = registration.request.bound_to;
  const std::set<std::string> offered = registration.offered();
  const RawJson offer = offer_of(registration.request);
  const auto queue_in = [](const RawJson& body) {
    const std::string queue = Body{body}.text_of("queue");
    return queue.empty() ? std::string{kQueueDefault} : queue;
  };
  std::size_t place = found.size() - offered.size();
  for (const std::string& workflow : offered) {
    const auto& known = found[place++];
    const Status allowed = first_of({check_queue(bound_to, queue_in(offer)),
                                     known ? check_queue(bound_to, queue_in(known->body)) : Status{Done{}}});
    if (!allowed) return allowed;
    if (known && known->body == offer) continue;
    decision.changes.push_back({.ref = code_workflow_ref(registration.request.ns, workflow), .body = offer});
  }
  return Done{};
}

// The worker, which the actor takes over if it belonged to another token and is offline. A missed heartbeat
// is not enough: the worker's tasks may show that it is alive (decide_worker_due).
Result<Worker> own_worker(const Record& record, const Actor& by) {
  Worker worker = worker_from(record.body);
  const bool is_gone = worker.status == WorkerStatus::offline;
  if (!is_owned_by(worker, by) && !is_gone && !planted(Canary::worker_owner_not_compared))
    return not_its_worker(worker.worker_id);
  if (!by.id.empty()) worker.owner = by.id;
  return worker;
}

// Whether the actor may end the work of the worker: an operator may, for any worker.
Status check_ends(const Worker& worker, const Actor& by) {
  const auto role = role_from(by.role);
  const bool is_operator = role && *role >= Role::supervisor;
  if (is_operator || is_owned_by(worker, by) || planted(Canary::worker_owner_not_compared)) return Done{};
  return not_its_worker(worker.worker_id);
}

}  // namespace

std::string_view to_string(WorkerStatus status) {
  return kWorkerStatusNames.at(static_cast<std::size_t>(status));
}

RecordRef worker_ref(const std::string& ns, const std::string& worker_id) {
  return {.kind = RecordKind::worker, .ns = ns, .key = worker_id};
}

RecordRef worker_process_ref(const std::string& ns, const std::string& owner, const std::string& hostname,
                             std::int64_t pid) {
  const std::string of_owner = owner.empty() ? "" : owner + ":";
  return {
      .kind = RecordKind::worker_process, .ns = ns, .key = fmt::format("{}{}:{}", of_owner, pid, hostname)};
}

bool is_owned_by(const Worker& worker, const Actor& actor) {
  return actor.id.empty() || worker.owner.empty() || worker.owner == actor.id;
}

Problem not_its_worker(const std::string& worker_id) {
  return {.code = ProblemCode::forbidden,
          .detail = fmt::format("worker {} belongs to another token", worker_id)};
}

std::vector<RecordRef> worker_refs(const std::string& ns, const Worker& worker) {
  std::vector<RecordRef> refs{worker_ref(ns, worker.worker_id)};
  if (!worker.hostname.empty())
    refs.push_back(worker_process_ref(ns, worker.owner, worker.hostname, worker.pid));
  return refs;
}

Status check(const RegisterWorker& request) {
  if (request.max_concurrent < 0 || request.max_concurrent > kMaxConcurrentMax)
    return invalid_field("max_concurrent", fmt::format("must be from 0 to {}, not {}", kMaxConcurrentMax,
                                                       request.max_concurrent));
  return first_of({check_namespace(request.ns), check_names("queues", request.queues),
                   check_names("task_types", request.task_types),
                   check_names("workflow_types", request.workflow_types),
                   check_optional("hostname", request.hostname), check_optional("version", request.version),
                   check_labels(request.labels),
                   request.worker_id ? check_name("worker_id", *request.worker_id) : Status{Done{}}});
}

Status check(const HeartbeatWorker& request) {
  if (request.active_count < 0) return invalid_field("active_count", "must not be negative");
  if (request.completed_delta < 0) return invalid_field("completed_delta", "must not be negative");
  if (request.failed_delta < 0) return invalid_field("failed_delta", "must not be negative");
  return first_of({check_namespace(request.ns), check_name("worker_id", request.worker_id)});
}

Status check(const WorkerRef& request) {
  return first_of({check_namespace(request.ns), check_name("worker_id", request.worker_id)});
}

Status check(const AwaitNotices& request) {
  return first_of({check_namespace(request.ns), check_name("worker_id", request.worker_id),
                   check_duration("wait", request.wait, Duration{0}, kClaimWaitMax)});
}

Worker worker_from(const RawJson& answer) {
  using Names = std::vector<std::string>;
  const Body body{answer};
  return {.worker_id = body.text_of("worker_id"),
          .owner = body.text_of("owner"),
          .status = static_cast<WorkerStatus>(body.get<int>("status")),
          .queues = body.get<Names>("queues"),
          .task_types = body.get<Names>("task_types"),
          .workflow_types = body.get<Names>("workflow_types"),
          .hostname = body.text_of("hostname"),
          .pid = body.get<std::int64_t>("pid"),
          .version = body.text_of("version"),
          .max_concurrent = body.get<int>("max_concurrent"),
          .labels = body.get<Labels>("labels"),
          .active_count = body.get<std::int64_t>("active_count"),
          .total_completed = body.get<std::int64_t>("total_completed"),
          .total_failed = body.get<std::int64_t>("total_failed"),
          .is_minimal = body.get<bool>("is_minimal"),
          .is_replaced = body.get<bool>("is_replaced"),
          .registered_at = body.time_of("registered_at"),
          .heartbeat_at = body.time_of("heartbeat_at")};
}

Worker worker_at(const Record& record, TimePoint now) {
  Worker worker = worker_from(record.body);
  if (record.expires_at && *record.expires_at <= now) worker.status = WorkerStatus::offline;
  return worker;
}

std::string process_worker_id(const Record& record) { return Body{record.body}.text_of("worker_id"); }

std::vector<RecordRef> Registration::refs() const {
  std::vector<RecordRef> refs{worker_ref(request.ns, worker_id)};
  if (!request.hostname.empty()) {
    refs.push_back(worker_process_ref(request.ns, request.by.id, request.hostname, request.pid));
    if (replaces) refs.push_back(worker_ref(request.ns, *replaces));
  }
  for (const std::string& workflow : offered()) refs.push_back(code_workflow_ref(request.ns, workflow));
  return refs;
}

std::set<std::string> Registration::offered() const {
  return {request.workflow_types.begin(), request.workflow_types.end()};
}

std::optional<std::string> queue_of_offer(const Record& offer) {
  const std::string queue = Body{offer.body}.text_of("queue");
  return queue.empty() ? std::nullopt : std::optional{queue};
}

RecordRef code_workflow_ref(const std::string& ns, const std::string& workflow) {
  return {.kind = RecordKind::code_workflow, .ns = ns, .key = workflow};
}

Result<RecordDecision> decide_register(const Registration& registration, FoundRecords found, TimePoint now) {
  const RegisterWorker& request = registration.request;
  Worker worker{.owner = request.by.id, .registered_at = now};
  if (found[0]) {
    auto own = own_worker(*found[0], request.by);
    if (!own) return own.problem();
    worker = std::move(*own);
  }
  worker.worker_id = registration.worker_id;
  worker.status = WorkerStatus::online;
  worker.queues = request.queues;
  worker.task_types = request.task_types;
  worker.workflow_types = request.workflow_types;
  worker.hostname = request.hostname;
  worker.pid = request.pid;
  worker.version = request.version;
  worker.max_concurrent = request.max_concurrent;
  worker.labels = request.labels;
  worker.is_minimal = false;
  worker.is_replaced = false;
  worker.heartbeat_at = now;
  RecordDecision decision = heard_of(request.ns, worker, now + request.timeout);
  if (const Status offered = note_offered(registration, found, decision); !offered) return offered.problem();
  if (request.hostname.empty()) return decision;

  const std::string known = found[1] ? process_worker_id(*found[1]) : "";
  const bool is_new_incarnation = !request.worker_id && !known.empty();
  if (is_new_incarnation && registration.replaces != known)
    return Problem{.code = ProblemCode::conflict,
                   .detail = "another registration of this process came first: register again"};
  decision.changes.push_back(put_process(
      worker_process_ref(request.ns, request.by.id, request.hostname, request.pid), worker.worker_id));
  if (is_new_incarnation && found[2]) {
    Worker old = worker_from(found[2]->body);
    old.status = WorkerStatus::offline;
    old.is_replaced = true;
    decision.changes.push_back(put_offline(request.ns, old, now));
    decision.eviction = Eviction::recover;
  }
  return decision;
}

Result<RecordDecision> decide_heartbeat(const HeartbeatWorker& request, FoundRecords found, TimePoint now) {
  if (!found[0]) return no_such_worker(request.worker_id);
  auto own = own_worker(*found[0], request.by);
  if (!own) return own.problem();
  Worker worker = std::move(*own);
  if (worker.is_replaced && !planted(Canary::replaced_worker_heard)) {
    return Problem{
        .code = ProblemCode::invalid_state,
        .detail = fmt::format("worker {} was replaced by a later one of its process", request.worker_id)};
  }
  if (worker.status == WorkerStatus::offline) worker.status = WorkerStatus::online;
  worker.is_minimal = false;
  worker.active_count = request.active_count;
  worker.total_completed += request.completed_delta;
  worker.total_failed += request.failed_delta;
  worker.heartbeat_at = now;
  return heard_of(request.ns, worker, now + request.timeout);
}

Result<RecordDecision> decide_drain(const WorkerRef& request, FoundRecords found, TimePoint now) {
  if (!found[0]) return no_such_worker(request.worker_id);
  Worker worker = worker_at(*found[0], now);
  if (const Status allowed = check_ends(worker, request.by); !allowed) return allowed.problem();
  if (worker.status == WorkerStatus::offline) return is_offline(request.worker_id);
  worker.status = WorkerStatus::draining;
  RecordDecision decision{.answer = encode(worker)};
  // A request to drain is not a heartbeat.
  decision.changes.push_back({.ref = worker_ref(request.ns, request.worker_id),
                              .body = decision.answer,
                              .expires_at = found[0]->expires_at});
  decision.audit.push_back(audit_of(request.by, request.ns, "worker.drain", request.worker_id));
  return decision;
}

Result<RecordDecision> decide_deregister(const WorkerRef& request, FoundRecords found, TimePoint now) {
  if (!found[0]) return no_such_worker(request.worker_id);
  Worker worker = worker_at(*found[0], now);
  if (const Status allowed = check_ends(worker, request.by); !allowed) return allowed.problem();
  worker.status = WorkerStatus::offline;
  RecordDecision decision{
      .answer = encode(worker),
      .eviction = planted(Canary::farewell_spends_attempts) ? Eviction::recover : Eviction::release};
  decision.changes.push_back({.ref = found[0]->ref});
  const bool is_its_process =
      found.size() > 1 && found[1] && process_worker_id(*found[1]) == request.worker_id;
  if (is_its_process) decision.changes.push_back({.ref = found[1]->ref});
  decision.audit.push_back(audit_of(request.by, request.ns, "worker.delete", request.worker_id));
  return decision;
}

Result<RecordDecision> decide_claimed_by(const WorkerRef& request, FoundRecords found, TimePoint now) {
  Worker worker{
      .worker_id = request.worker_id, .owner = request.by.id, .is_minimal = true, .registered_at = now};
  if (found[0]) {
    auto own = own_worker(*found[0], request.by);
    if (!own) return own.problem();
    worker = std::move(*own);
  }
  if (worker.is_replaced) return RecordDecision{.answer = encode(worker)};
  if (worker.status == WorkerStatus::offline) worker.status = WorkerStatus::online;
  worker.heartbeat_at = now;
  return heard_of(request.ns, worker, now + request.timeout);
}

Result<RecordDecision> decide_worker_due(const SeenHeld& held, FoundRecords found, TimePoint now) {
  RecordDecision decision;
  const bool is_due = found[0] && found[0]->expires_at && *found[0]->expires_at <= now;
  if (!is_due) return decision;
  Worker worker = worker_from(found[0]->body);
  if (worker.status == WorkerStatus::offline) {
    decision.changes.push_back({.ref = found[0]->ref});
    const bool is_its_process =
        found.size() > 1 && found[1] && process_worker_id(*found[1]) == worker.worker_id;
    if (is_its_process) decision.changes.push_back({.ref = found[1]->ref});
    return decision;
  }
  const Duration timeout = *found[0]->expires_at - worker.heartbeat_at;
  if (held.renewed_at && *held.renewed_at + timeout > now) {
    worker.heartbeat_at = *held.renewed_at;
    return heard_of(found[0]->ref.ns, worker, *held.renewed_at + timeout);
  }
  if (!worker.is_minimal && !planted(Canary::lost_worker_keeps_its_tasks))
    decision.eviction = Eviction::recover;
  decision.spared_after = now - timeout;  // `held` was read before the tasks were locked
  if (!held.is_all) return decision;      // it stays due, so that the sweep handles the others next
  worker.status = WorkerStatus::offline;
  decision.changes.push_back(put_offline(found[0]->ref.ns, worker, now));
  return decision;
}

}  // namespace pawl::core
