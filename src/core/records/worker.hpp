#pragma once
// Workers: the processes that claim tasks, and whether they are alive. A worker that sends no heartbeats goes
// offline, and its tasks are recovered.
//
// Invariants: of the incarnations of one process (hostname, pid) the last one counts; the earlier ones are
// offline. A worker belongs to the token that registered it, or that first claimed with its id, until it is
// offline.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/record.hpp"
#include "core/task/task.hpp"

namespace pawl::core {

enum class WorkerStatus : std::uint8_t { online, draining, offline };
[[nodiscard]] std::string_view to_string(WorkerStatus status);

inline constexpr Duration kWorkerTimeout = std::chrono::seconds{60};  // without a heartbeat
inline constexpr Duration kOfflineWorkerKept = std::chrono::hours{24};

struct RegisterWorker {
  std::string ns = "default";
  std::optional<std::string> worker_id = {};  // its own, to register again; absent: a new incarnation
  std::vector<std::string> queues = {};
  std::vector<std::string> task_types = {};
  std::vector<std::string> workflow_types = {};
  std::string hostname = {};
  std::int64_t pid = 0;
  std::string version = {};
  int max_concurrent = 0;  // 0: no limit
  Labels labels = {};
  Duration timeout = kWorkerTimeout;  // set by the server, not by the request
  Actor by = {};
  std::vector<std::string> bound_to = {};  // the queues of the caller's token; empty: all
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

// Waits for the next task of the worker that is canceled or lost to it.
struct AwaitNotices {
  std::string ns = "default";
  std::string worker_id = {};
  Duration wait = {};
};

struct Worker {
  std::string worker_id = {};
  std::string owner = {};  // the id of its token; empty: it was created without one
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
  bool is_minimal = false;   // registered by a claim; sends no heartbeats, its leases show that it is alive
  bool is_replaced = false;  // by a later incarnation
  TimePoint registered_at = {};
  TimePoint heartbeat_at = {};

  bool operator==(const Worker&) const = default;
};

[[nodiscard]] RecordRef worker_ref(const std::string& ns, const std::string& worker_id);
// Processes of different owners differ, even with the same hostname and pid.
[[nodiscard]] RecordRef worker_process_ref(const std::string& ns, const std::string& owner,
                                           const std::string& hostname, std::int64_t pid);
// Whether the actor may act as this worker. An actor without an id has no token and may act as any worker.
[[nodiscard]] bool is_owned_by(const Worker& worker, const Actor& actor);
[[nodiscard]] Problem not_its_worker(const std::string& worker_id);
// The worker's record and, if it gave a hostname, the record of its process.
[[nodiscard]] std::vector<RecordRef> worker_refs(const std::string& ns, const Worker& worker);

[[nodiscard]] Status check(const RegisterWorker& request);
[[nodiscard]] Status check(const HeartbeatWorker& request);
[[nodiscard]] Status check(const WorkerRef& request);
[[nodiscard]] Status check(const AwaitNotices& request);

// The worker at `now`.
[[nodiscard]] Worker worker_at(const Record& record, TimePoint now);
[[nodiscard]] Worker worker_from(const RawJson& answer);
// The id of the worker as which the process is registered.
[[nodiscard]] std::string process_worker_id(const Record& record);

// A registration with its chosen id, and the incarnation that it replaces according to an earlier read, if
// any.
struct Registration {
  RegisterWorker request = {};
  std::string worker_id = {};
  std::optional<std::string> replaces = {};

  [[nodiscard]] std::vector<RecordRef> refs() const;
  // The workflows that it runs as code, without duplicates.
  [[nodiscard]] std::set<std::string> offered() const;
};
// The queue for code runs that name none; nullopt: `default`.
[[nodiscard]] std::optional<std::string> queue_of_offer(const Record& offer);
// Its record exists if a worker has ever offered the workflow; without a definition it is then started as
// code.
[[nodiscard]] RecordRef code_workflow_ref(const std::string& ns, const std::string& workflow);
// Receives the records of `refs`. Fails with `conflict` if a worker other than `replaces` is registered by
// now: the caller reads again. The tasks of the replaced worker are recovered.
[[nodiscard]] Result<RecordDecision> decide_register(const Registration& registration, FoundRecords found,
                                                     TimePoint now);

// These receive the worker's record and answer with the worker.
[[nodiscard]] Result<RecordDecision> decide_heartbeat(const HeartbeatWorker& request, FoundRecords found,
                                                      TimePoint now);
[[nodiscard]] Result<RecordDecision> decide_drain(const WorkerRef& request, FoundRecords found,
                                                  TimePoint now);
// Receives the records of `worker_refs`. The tasks of the worker are released.
[[nodiscard]] Result<RecordDecision> decide_deregister(const WorkerRef& request, FoundRecords found,
                                                       TimePoint now);
// A claim counts as a heartbeat. An unknown id is registered by its claim, minimally.
[[nodiscard]] Result<RecordDecision> decide_claimed_by(const WorkerRef& request, FoundRecords found,
                                                       TimePoint now);

// A read of the tasks that a worker holds.
struct SeenHeld {
  bool is_all = true;                        // false: only one page of them was read
  std::optional<TimePoint> renewed_at = {};  // when the worker last claimed or renewed one
};
// For the sweep; receives the records of `worker_refs`. A worker that has sent no heartbeats, neither of its
// own nor of its tasks, goes offline and its tasks are recovered; a worker that was offline long enough is
// erased.
[[nodiscard]] Result<RecordDecision> decide_worker_due(const SeenHeld& held, FoundRecords found,
                                                       TimePoint now);

}  // namespace pawl::core
