#include "wire/routes.hpp"

#include <algorithm>
#include <array>

#include "wire/admin_routes.hpp"
#include "wire/percent.hpp"
#include "wire/schedule_routes.hpp"
#include "wire/workflow_routes.hpp"

namespace pawl::wire {

namespace {

using core::Role;
constexpr std::optional<Role> kAnyone = std::nullopt;

constexpr std::array kSpec{
    Field{"type", "string", true, "what kind of work it is"},
    Field{"payload", "json", false, "any JSON, given to the handler byte for byte"},
    Field{"queue", "string", false, "default: default"},
    Field{"priority", "integer", false, "higher first; default 0"},
    Field{"key", "string", false, "tasks of one key run one at a time, in order"},
    Field{"idempotency_key", "string", false, "the same key of the same type gives the first task again"},
    Field{"fairness_key", "string", false, "tenant of the task: tenants share a queue's claims fairly"},
    Field{"fairness_weight", "number", false,
          "from 0.001 to 1000, the share of it; default 1; needs a fairness_key"},
    Field{"delay", "duration", false, "claimable after this"},
    Field{"run_at", "time", false, "claimable from then on"},
    Field{"retry", "retry", false, "how often and when a failed attempt is tried again"},
    Field{"max_retries", "integer", false, "attempts after the first; -1 for ever"},
    Field{"timeout", "duration", false, "of one attempt"},
    Field{"run_id", "uuid", false, "an open run that it is added to"},
    Field{"after", "strings", false, "ids of tasks of that run that must complete first"},
    Field{"labels", "labels", false, "to find it by"},
};
constexpr std::array kSpecs{Field{"tasks", "tasks", true, "up to 10,000, all or nothing"}};
constexpr std::array kClaim{
    Field{"worker_id", "string", true, "who claims"},
    Field{"queues", "strings", false, "default: [\"default\"]"},
    Field{"types", "strings", false, "default: all; one that ends in * stands for all that begin so"},
    Field{"max", "integer", false, "how many at most; default 10"},
    Field{"lease", "duration", false, "how long they are held without a heartbeat; default 30s"},
    Field{"wait", "duration", false, "how long to wait for the first one; default 0s"},
    Field{"memo_pages", "boolean", false,
          "the body of a long code run carries its first steps and `steps_cursor`; /runs/{id}/memo has the "
          "rest"},
};
constexpr std::array kReports{
    Field{"worker_id", "string", true, "who holds the leases"},
    Field{"reports", "reports", true, "task_id, fence, action, and what the action takes"},
};
constexpr std::array kReport{
    Field{"worker_id", "string", true, "who holds the lease"},
    Field{"fence", "integer", true, "of the claim"},
    Field{"lease", "duration", false, "heartbeat: how long from now"},
    Field{"output", "json", false, "complete"},
    Field{"continue_as_new", "json", false,
          "complete, of a code run's body: the run ends and another one with this input takes its place"},
    Field{"error", "error", false, "fail"},
    Field{"retry_after", "duration", false, "fail: instead of the policy's wait"},
};
constexpr std::array kTaskFilter{
    Field{"status", "[TaskStatus]", false, "separated by commas"},
    Field{"queue", "string", false, "of this queue"},
    Field{"type", "string", false, "of this type"},
    Field{"key", "string", false, "of this entity key"},
    Field{"run_id", "uuid", false, "of the run that it is part of"},
    Field{"worker_id", "string", false, "of the present lease"},
    Field{"label", "string", false, "name:value"},
    Field{"created_after", "time", false, "exclusive"},
    Field{"created_before", "time", false, "exclusive"},
    Field{"order", "SortOrder", false, "asc or desc (default), by creation"},
    Field{"limit", "integer", false, "1 to 500; default 50"},
    Field{"cursor", "string", false, "next_cursor of the page before"},
};
constexpr std::array kBulk{
    Field{"filter", "task filter", false, "as in the list of tasks"},
    Field{"limit", "integer", false, "how many at most; default 1000"},
    Field{"dry_run", "boolean", false, "say what matches and change nothing"},
};
constexpr std::array kQueue{
    Field{"paused", "boolean"},
    Field{"max_concurrency", "integer?", false, "null clears"},
    Field{"type_concurrency", "limits", false, "type to number; null clears"},
    Field{"rate", "rate", false, "limit and per; null clears"},
};

constexpr std::array kCheckpoint{
    Field{"task_id", "uuid", false, "whose"},
    Field{"run_id", "uuid", false, "instead: of a run"},
    Field{"type", "string", true, "such as iteration_end"},
    Field{"snapshot", "json"},
    Field{"metadata", "json"},
    Field{"sequence", "integer", false, "must be the next one, where it is given"},
};
constexpr std::array kCheckpoints{
    Field{"task_id", "uuid", false, "whose"},
    Field{"run_id", "uuid", false, "instead: of a run"},
    Field{"type", "string", false, "only of this type"},
    Field{"latest", "boolean", false, "only the last one"},
    Field{"limit", "integer", false, "1 to 500; default: all"},
    Field{"cursor", "string", false, "next_cursor of the page before"},
};
constexpr std::array kOwner{
    Field{"task_id", "uuid", false, "whose"},
    Field{"run_id", "uuid", false, "instead: of a run"},
};
constexpr std::array kAcquire{
    Field{"holder", "string", true, "who"},
    Field{"ttl", "duration", false, "default 30s"},
};
constexpr std::array kRenew{
    Field{"holder", "string", true, "who"},
    Field{"fence", "integer", true, "of the acquisition"},
    Field{"ttl", "duration", false, "default 30s"},
};
constexpr std::array kRelease{
    Field{"holder", "string", true, "who"},
    Field{"fence", "integer", true, "of the acquisition"},
};
constexpr std::array kBegin{
    Field{"request", "json", false, "what is to be done; its hash is kept"},
    Field{"request_hash", "string", false, "instead: sha256:…"},
    Field{"ttl", "duration", false, "default 24h"},
    Field{"task_id", "uuid", false, "the task that the key is for"},
};
constexpr std::array kEnd{Field{"response", "json", false, "response for later requests with this key"}};
constexpr std::array kWorker{
    Field{"worker_id", "string", false, "its own, to refresh itself"},
    Field{"queues", "strings"},
    Field{"task_types", "strings"},
    Field{"workflow_types", "strings"},
    Field{"hostname", "string"},
    Field{"pid", "integer"},
    Field{"version", "string"},
    Field{"max_concurrent", "integer", false, "how many tasks it may hold; 0: no cap"},
    Field{"labels", "labels"},
};
constexpr std::array kHeartbeat{
    Field{"active_count", "integer"},
    Field{"completed_delta", "integer"},
    Field{"failed_delta", "integer"},
    Field{"renew_leases", "boolean", false, "of all tasks it holds"},
};
constexpr std::array kNotices{Field{"wait", "duration", false, "at most 60s; default: none"}};
constexpr std::array kType{
    Field{"required", "strings", false, "fields that a payload must have"},
    Field{"schema", "json", false, "type, properties, required, items, enum, minimum, maximum"},
    Field{"queue", "string"},
    Field{"priority", "integer"},
    Field{"retry", "retry"},
    Field{"timeout", "duration"},
    Field{"lease", "duration"},
};
constexpr std::array kBaseRoutes{
    Route{Method::get, "/healthz", kAnyone, Call::healthz, "Whether the process is up"},
    Route{Method::get, "/readyz", kAnyone, Call::readyz,
          "Whether it can serve: the store answers, work goes on"},
    Route{Method::get, "/metrics", Role::viewer, Call::metrics, "Prometheus metrics", {}, {}, "text"},
    Route{Method::get, "/openapi.json", Role::viewer, Call::openapi, "This description"},
    Route{Method::get, "/", kAnyone, Call::home, "The dashboard", {}, {}, "page for a browser"},
    Route{Method::get,
          "/assets/{file}",
          kAnyone,
          Call::dashboard_asset,
          "What the dashboard loads",
          {},
          {},
          "file"},
    Route{Method::post,
          "/v1/{ns}/tasks",
          Role::worker,
          Call::enqueue_task,
          "Enqueue a task",
          kSpec,
          {},
          "created task"},
    Route{Method::post,
          "/v1/{ns}/tasks/batch",
          Role::worker,
          Call::enqueue_tasks,
          "Enqueue many tasks, all or nothing",
          kSpecs,
          {},
          "results",
          true},
    Route{Method::post,
          "/v1/{ns}/tasks/claim",
          Role::worker,
          Call::claim_tasks,
          "Claim tasks, waiting for the first one",
          kClaim,
          {},
          "claimed tasks"},
    Route{Method::post,
          "/v1/{ns}/tasks/report",
          Role::worker,
          Call::report_tasks,
          "Report on many tasks, one result each",
          kReports,
          {},
          "results",
          true},
    Route{Method::post,
          "/v1/{ns}/tasks/retry",
          Role::supervisor,
          Call::retry_tasks,
          "Retry all that a filter finds",
          kBulk,
          {},
          "matched and changed"},
    Route{Method::post,
          "/v1/{ns}/tasks/cancel",
          Role::supervisor,
          Call::cancel_tasks,
          "Cancel all that a filter finds",
          kBulk,
          {},
          "matched and changed"},
    Route{Method::post,
          "/v1/{ns}/tasks/{id}/retry",
          Role::supervisor,
          Call::retry_task,
          "Put a failed or dead task back, with a fresh budget",
          {},
          {},
          "task"},
    Route{Method::post,
          "/v1/{ns}/tasks/{id}/cancel",
          Role::supervisor,
          Call::cancel_task,
          "Cancel a task; a leased one is asked to stop",
          {},
          {},
          "task"},
    Route{Method::post,
          "/v1/{ns}/tasks/{id}/{action}",
          Role::worker,
          Call::report_task,
          "One report: heartbeat, start, complete, fail or release",
          kReport,
          {},
          "result",
          true},
    Route{Method::get,
          "/v1/{ns}/tasks/{id}",
          Role::viewer,
          Call::get_task,
          "A task with its attempts",
          {},
          {},
          "task"},
    Route{Method::get,
          "/v1/{ns}/tasks",
          Role::viewer,
          Call::list_tasks,
          "Tasks, by filter",
          {},
          kTaskFilter,
          "page"},
    Route{Method::get,
          "/v1/{ns}/queues",
          Role::viewer,
          Call::list_queues,
          "Queues with their counts and limits; as text/event-stream whenever they change",
          {},
          kSlice,
          "page",
          false,
          true},
    Route{Method::put,
          "/v1/{ns}/queues/{name}",
          Role::supervisor,
          Call::put_queue,
          "Pause a queue, set its limits",
          kQueue,
          {},
          "queue"},
    Route{Method::post,
          "/v1/{ns}/checkpoints",
          Role::worker,
          Call::append_checkpoint,
          "Write down evidence of a task",
          kCheckpoint,
          {},
          "checkpoint_id and sequence"},
    Route{Method::get,
          "/v1/{ns}/checkpoints",
          Role::viewer,
          Call::list_checkpoints,
          "Evidence of a task, oldest first",
          {},
          kCheckpoints,
          "page"},
    Route{Method::get,
          "/v1/{ns}/checkpoints/summary",
          Role::viewer,
          Call::summarize_checkpoints,
          "Counts by type",
          {},
          kOwner,
          "summary"},
    Route{Method::post,
          "/v1/{ns}/leases/{key}/acquire",
          Role::worker,
          Call::acquire_lock,
          "Take a lock, if it is free",
          kAcquire,
          {},
          "lock"},
    Route{Method::post,
          "/v1/{ns}/leases/{key}/renew",
          Role::worker,
          Call::renew_lock,
          "Hold a lock longer",
          kRenew,
          {},
          "lock"},
    Route{Method::post,
          "/v1/{ns}/leases/{key}/release",
          Role::worker,
          Call::release_lock,
          "Give a lock back",
          kRelease,
          {},
          "lock"},
    Route{Method::get, "/v1/{ns}/leases/{key}", Role::viewer, Call::get_lock, "A lock", {}, {}, "lock"},
    Route{Method::post,
          "/v1/{ns}/idempotency/{key}/begin",
          Role::worker,
          Call::begin_idempotency,
          "Begin what must be done once",
          kBegin,
          {},
          "status"},
    Route{Method::post,
          "/v1/{ns}/idempotency/{key}/complete",
          Role::worker,
          Call::complete_idempotency,
          "It is done, with this response",
          kEnd,
          {},
          "key"},
    Route{Method::post,
          "/v1/{ns}/idempotency/{key}/fail",
          Role::worker,
          Call::fail_idempotency,
          "It failed, and may be begun again",
          kEnd,
          {},
          "key"},
    Route{Method::get,
          "/v1/{ns}/idempotency/{key}",
          Role::viewer,
          Call::get_idempotency,
          "An idempotency key",
          {},
          {},
          "key"},
    Route{Method::post,
          "/v1/{ns}/workers",
          Role::worker,
          Call::register_worker,
          "Register a worker",
          kWorker,
          {},
          "worker"},
    Route{Method::post,
          "/v1/{ns}/workers/{id}/heartbeat",
          Role::worker,
          Call::heartbeat_worker,
          "Say that a worker lives",
          kHeartbeat,
          {},
          "worker"},
    Route{Method::get,
          "/v1/{ns}/workers/{id}/notices",
          Role::worker,
          Call::await_notices,
          "Wait for tasks of a worker that are canceled or taken from it",
          {},
          kNotices,
          "notices"},
    Route{Method::post,
          "/v1/{ns}/workers/{id}/drain",
          Role::supervisor,
          Call::drain_worker,
          "Give a worker nothing more",
          {},
          {},
          "worker"},
    Route{Method::del,
          "/v1/{ns}/workers/{id}",
          Role::worker,
          Call::deregister_worker,
          "Take leave: its leases are released, no attempt is spent",
          {},
          {},
          "nothing"},
    Route{Method::get, "/v1/{ns}/workers/{id}", Role::viewer, Call::get_worker, "A worker", {}, {}, "worker"},
    Route{Method::get, "/v1/{ns}/workers", Role::viewer, Call::list_workers, "Workers", {}, kPage, "page"},
    Route{Method::put,
          "/v1/{ns}/types/{type}",
          Role::supervisor,
          Call::put_type,
          "Declare a task type",
          kType,
          {},
          "type"},
    Route{Method::get,
          "/v1/{ns}/types/{type}",
          Role::viewer,
          Call::get_type,
          "A declared task type",
          {},
          {},
          "type"},
    Route{Method::get,
          "/v1/{ns}/types",
          Role::viewer,
          Call::list_types,
          "Declared task types",
          {},
          kPage,
          "page"},
    Route{Method::del,
          "/v1/{ns}/types/{type}",
          Role::supervisor,
          Call::delete_type,
          "Forget a task type",
          {},
          {},
          "nothing"},
};

template <std::size_t N, std::size_t M>
constexpr std::array<Route, N + M> joined(const std::array<Route, N>& first,
                                          const std::array<Route, M>& second) {
  std::array<Route, N + M> all{};
  std::copy(first.begin(), first.end(), all.begin());
  std::copy(second.begin(), second.end(), all.begin() + N);
  return all;
}
constexpr auto kRoutes = joined(joined(joined(kBaseRoutes, kAdminRoutes), kWorkflowRoutes), kScheduleRoutes);

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  if (path.empty() || path.front() != '/') return segments;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    segments.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return segments;
}

bool is_parameter(std::string_view segment) { return segment.size() > 2 && segment.front() == '{'; }

// The table with its paths split once, because each request is compared with all of them.
struct Pattern {
  const Route* route = nullptr;
  std::vector<std::string_view> segments = {};
};
const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = [] {
    std::vector<Pattern> made;
    for (const Route& route : kRoutes) made.push_back({.route = &route, .segments = segments_of(route.path)});
    return made;
  }();
  return all;
}

// A literal segment is compared with the raw bytes, so "%2e" cannot bypass it.
bool fits(const Pattern& pattern, const std::vector<std::string_view>& segments) {
  const auto& wanted = pattern.segments;
  if (wanted.size() != segments.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_parameter(wanted[i]) ? segments[i].empty() : wanted[i] != segments[i]) return false;
  }
  return true;
}

core::Problem no_such_path(std::string_view path) {
  return {.code = core::ProblemCode::not_found, .detail = "no route matches " + std::string{path}};
}

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::del: return "DELETE";
  }
  return "";
}

std::optional<Method> method_from(std::string_view name) {
  for (const Method method : {Method::get, Method::post, Method::put, Method::patch, Method::del}) {
    if (name_of(method) == name) return method;
  }
  return std::nullopt;
}

std::span<const Route> routes() { return kRoutes; }

core::Result<Match> match(Method method, std::string_view path) {
  const auto segments = segments_of(path);
  for (const Pattern& pattern : patterns()) {
    if (pattern.route->method != method || !fits(pattern, segments)) continue;
    Match found{.route = pattern.route};
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (!is_parameter(pattern.segments[i])) continue;
      auto value = percent_decoded(segments[i]);
      if (!value) return no_such_path(path);
      found.parameters.push_back(std::move(*value));
    }
    return found;
  }
  return no_such_path(path);
}

std::vector<Method> methods_of(std::string_view path) {
  std::vector<Method> methods;
  const auto segments = segments_of(path);
  for (const Pattern& pattern : patterns()) {
    const Method method = pattern.route->method;
    const bool is_new = std::find(methods.begin(), methods.end(), method) == methods.end();
    if (is_new && fits(pattern, segments)) methods.push_back(method);
  }
  return methods;
}

}  // namespace pawl::wire
