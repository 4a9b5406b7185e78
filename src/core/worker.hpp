#pragma once
// Workers: who takes tasks, and whether it is still there. A worker that is not heard of is offline, and what
// it holds is recovered.
//
// Always: of the incarnations of one process (hostname, pid) the last one counts; those before are offline. A
// worker belongs to the token that registered it, or claimed first under its id, until it is offline.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/record.hpp"
#include "core/task.hpp"

namespace pawl::core {

enum class WorkerStatus : std::uint8_t { online, draining, offline };
[[nodiscard]] std::string_view to_string(WorkerStatus status);

inline constexpr Duration kWorkerTimeout = std::chrono::seconds{60};  // without a heartbeat
inline constexpr Duration kOfflineWorkerKept = std::chrono::hours{24};

struct RegisterWorker {
  std::string ns = "default";
  std::optional<std::string> worker_id = {};  // its own, to refresh itself; none: a new incarnation
  std::vector<std::string> queues = {};
  std::vector<std::string> task_types = {};
  std::vector<std::string> workflow_types = {};
  std::string hostname = {};
  std::int64_t pid = 0;
  std::string version = {};
  int max_concurrent = 0;  // 0: no cap
  Labels labels = {};
  Duration timeout = kWorkerTimeout;  // of the server, not of the request
  Actor by = {};
  std::vector<std::string> bound_to = {};  // the queues of the caller's token; none: all
};
struct HeartbeatWorker {
  std::string ns = "default";
  std::string worker_id = {};
  std::int64_t active_count = 0;
  std::int64_t completed_delta = 0;
  std::int64_t failed_delta = 0;
  bool renew_leases = false;  // of all tasks it holds
  Duration timeout = kWorkerTimeout;
  Actor by = {};
};
struct WorkerRef {
  std::string ns = "default";
  std::string worker_id = {};
  Duration timeout = kWorkerTimeout;
  Actor by = {};
};

// A worker waits for the next of its tasks that is canceled or taken from it.
struct AwaitNotices {
  std::string ns = "default";
  std::string worker_id = {};
  Duration wait = {};
};

struct Worker {
  std::string worker_id = {};
  std::string owner = {};  // the id of its token; empty: it was made without one
  WorkerStatus status = WorkerStatus::online;
  std::vector<std::string> queues = {};
  std::vector<std::string> task_types = {};
  std::vector<std::string> workflow_types = {};
  std::string hostname = {};
  std::int64_t pid = 0;
  std::string version = {};
  int max_concurrent = 0;
  Labels labels = {};
  std::int64_t active_count = 0;
  std::int64_t total_completed = 0;
  std::int64_t total_failed = 0;
  bool is_minimal = false;   // known by a claim alone; it promised no heartbeats, its leases speak for it
  bool is_replaced = false;  // by a later incarnation
  TimePoint registered_at = {};
  TimePoint heartbeat_at = {};

  bool operator==(const Worker&) const = default;
};

[[nodiscard]] RecordRef worker_ref(const std::string& ns, const std::string& worker_id);
// A process of another owner is another one, whatever it calls itself.
[[nodiscard]] RecordRef worker_process_ref(const std::string& ns, const std::string& owner,
                                           const std::string& hostname, std::int64_t pid);
// Whether the actor may act as this worker. An actor without an id is no token's and may act as any.
[[nodiscard]] bool is_owned_by(const Worker& worker, const Actor& actor);
[[nodiscard]] Problem not_its_worker(const std::string& worker_id);
// The worker's record and, where it named one, that of its process.
[[nodiscard]] std::vector<RecordRef> worker_refs(const std::string& ns, const Worker& worker);

[[nodiscard]] Status check(const RegisterWorker& request);
[[nodiscard]] Status check(const HeartbeatWorker& request);
[[nodiscard]] Status check(const WorkerRef& request);
[[nodiscard]] Status check(const AwaitNotices& request);

// As it stands at `now`.
[[nodiscard]] Worker worker_at(const Record& record, TimePoint now);
[[nodiscard]] Worker worker_from(const RawJson& answer);
// Which worker the process is registered as.
[[nodiscard]] std::string process_worker_id(const Record& record);

// A registration with its id chosen, and the incarnation that it was seen to replace, if any.
struct Registration {
  RegisterWorker request = {};
  std::string worker_id = {};
  std::optional<std::string> replaces = {};

  [[nodiscard]] std::vector<RecordRef> refs() const;
  // The workflows that it runs as code, each once.
  [[nodiscard]] std::set<std::string> offered() const;
};
// There if some worker has ever offered the workflow: one without a definition is started as code then.
// The queue that runs of a workflow in code go to which name none; none: `default`.
[[nodiscard]] std::optional<std::string> queue_of_offer(const Record& offer);
[[nodiscard]] RecordRef code_workflow_ref(const std::string& ns, const std::string& workflow);
// Shown the records of `refs`. Refused with `conflict` when another than `replaces` is registered by now: the
// caller looks again. What the replaced one holds is recovered.
[[nodiscard]] Result<RecordDecision> decide_register(const Registration& registration, FoundRecords found,
                                                     TimePoint now);

// These are shown the worker's record and answer with the worker.
[[nodiscard]] Result<RecordDecision> decide_heartbeat(const HeartbeatWorker& request, FoundRecords found,
                                                      TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_drain(const WorkerRef& request, FoundRecords found,
                                                  TimePoint now);
// Shown the records of `worker_refs`. What it holds is released.
[[nodiscard]] Result<RecordDecision> decide_deregister(const WorkerRef& request, FoundRecords found,
                                                       TimePoint now);
// A claim is a sign of life, also of an id that never registered: it is registered by it, minimally.
[[nodiscard]] Result<RecordDecision> decide_claimed_by(const WorkerRef& request, FoundRecords found,
                                                       TimePoint now);

// What was seen of the tasks that a worker holds.
struct SeenHeld {
  bool is_all = true;                        // and not only a page of them
  std::optional<TimePoint> renewed_at = {};  // when it last claimed or renewed one
};
// For the sweep, shown the records of `worker_refs`: one that is not heard of any more, by heartbeats of its
// own or of its tasks, goes offline and what it holds is recovered; one that was offline long enough is
// forgotten.
[[nodiscard]] Result<RecordDecision> decide_worker_due(const SeenHeld& held, FoundRecords found,
                                                       TimePoint now);

}  // namespace pawl::core
