#pragma once
// Optional arguments of the SDK's calls. Every field has a default; designated initializers set the others:
// `{.retry = {.max_attempts = 3}, .delay = 5min}`.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <pawl/error.hpp>

namespace pawl {

// Names and values, at most 64. Lists and filters can select by them.
using Labels = std::map<std::string, std::string>;

// When a failed attempt is retried. The delay before attempt n + 1 is initial_interval * backoff^(n-1), at
// most max_interval, spread by ±jitter. An unset field has the default below. If no field is set, a task has
// the policy that its declared type has, if any.
struct RetryPolicy {
  // Counts the first attempt; default: 4 for a task, 5 for a step; below 0: no limit.
  std::optional<int> max_attempts = {};
  std::optional<Duration> initial_interval = {};  // default: 1 s
  std::optional<double> backoff = {};             // default: 2
  std::optional<Duration> max_interval = {};      // default: 1 min
  std::optional<double> jitter = {};              // a fraction of the delay; default: 0.2
  std::vector<std::string> non_retryable = {};    // error codes that get no retry
};

// How to connect to a store or a server. The token and the certificates are for servers only.
struct ConnectOptions {
  std::string ns = "default";  // the namespace of all calls
  std::string token = {};      // API token, if the server requires one
  // Paths of PEM files, for https.
  std::string ca_cert = {};
  std::string client_cert = {};
  std::string client_key = {};
};

// Options of Client::enqueue.
struct EnqueueOptions {
  std::optional<std::string> queue = {};      // default: "default"
  std::optional<std::int32_t> priority = {};  // higher ones are claimed first; default: 0
  std::optional<std::string> key = {};        // tasks with the same key run one at a time, in order
  // A second enqueue of the same type and key returns the first task.
  std::optional<std::string> idempotency_key = {};
  // The tenant of the task. Tenants share a queue's claims by their weights, regardless of how many tasks
  // each has waiting. A task with a fairness key has a priority from -32768 to 32767.
  std::optional<std::string> fairness_key = {};
  std::optional<double> fairness_weight = {};  // from 0.001 to 1000; default: 1
  std::optional<Duration> delay = {};          // before the task can be claimed; excludes run_at
  std::optional<TimePoint> run_at = {};        // earliest time of the first claim; excludes delay
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};  // limit for one attempt; default: none
  Labels labels = {};
};

// What `start` does if a run with the same workflow and run key exists: returns that run, throws
// Error{"conflict"}, or starts a new run if the existing one has ended and returns it otherwise.
enum class OnConflict : std::uint8_t { return_existing, fail, restart_if_closed };

// Options of Client::start.
struct StartOptions {
  std::optional<std::string> run_key = {};  // unique within the workflow
  // Default: the first queue of the worker that last registered the workflow, or "default" if that worker
  // serves it.
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  std::optional<Duration> deadline = {};  // from the start; then the run fails and its undos run
  Labels labels = {};
  OnConflict on_conflict = OnConflict::return_existing;  // applies if the run key is in use
};

// Options of Run::signal.
struct SendOptions {
  std::optional<std::string> idempotency_key = {};  // a signal with the same key is delivered only once
};

// Options of a Worker.
struct WorkerOptions {
  std::vector<std::string> queues = {"default"};
  int max_concurrent = 16;  // tasks and workflows that run at the same time, each on its own thread
  int prefetch = 0;         // tasks claimed in addition, to be ready when a thread becomes free
  // How long a claim is valid; the worker renews it while the handler runs.
  Duration lease = std::chrono::seconds{30};
  // How long stop() waits for running handlers before their stop tokens fire.
  Duration drain_timeout = std::chrono::seconds{30};
  Duration suspend_after = std::chrono::seconds{1};  // a workflow that waits longer releases its thread
  // Threads for the lambdas of one workflow; further lambdas wait for a free thread. All workflows of a
  // worker share 1024 of these threads, so each gets at most 1024 / max_concurrent, but never fewer than 2.
  int branch_threads = 64;
  // How long a step or a task may ignore its stop token after its timeout. After that the worker gives the
  // attempt up: the run continues without it and ignores its result. The thread is left behind until the
  // function returns; at most max_concurrent threads are left behind.
  Duration stop_grace = std::chrono::seconds{5};
  // Memory for the outputs of earlier steps, for each running workflow. Outputs beyond it are read from the
  // store when the code reaches their steps.
  std::size_t step_cache_bytes = std::size_t{16} << 20U;
  std::string version = {};  // of the program; shown with the worker
  Labels labels = {};
  // Receives warnings and errors of the worker's threads; default: stderr.
  std::function<void(const std::string&)> log = {};
};

// Options of a handler (Worker::task, Worker::workflow).
struct HandlerOptions {
  // A JSON Schema for the payload or the input (the subset that declared task types support). An input that
  // does not match fails the task with the path of the field and is not retried.
  std::string schema = {};
};

// Options of a step or an undo.
struct StepOptions {
  RetryPolicy retry = {};
  // Limit for one attempt; default: none. At the timeout the step's stop token fires, and the attempt fails
  // with the code "timeout" whatever its function returns. An attempt that continues nevertheless is given up
  // after WorkerOptions::stop_grace.
  std::optional<Duration> timeout = {};
};

// Options of a signal wait or a promise.
struct SignalOptions {
  std::optional<Duration> timeout = {};  // default: no limit
};

// Options of Workflow::any.
struct AnyOptions {
  bool keep_losers = false;  // true: the other steps continue, and their results can be read later
};

// Options of a task that a workflow spawns.
struct SpawnOptions {
  std::string name = {};                  // of the step; default: the task's type
  std::optional<std::string> queue = {};  // default: the workflow's queue
  std::optional<std::int32_t> priority = {};
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};  // limit for one attempt; default: none
  Labels labels = {};
};

// Options of a child run.
struct ChildOptions {
  std::string name = {};  // of the step; default: the workflow's name
  std::optional<std::string> run_key = {};
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  std::optional<Duration> deadline = {};  // from the start of the child run
  Labels labels = {};
};

// Options of Workflow::map.
struct MapOptions {
  // The steps are named "NAME[0]", "NAME[1]", …; an earlier step must not have one of these names.
  std::string name = "map";
  std::size_t parallel = 8;  // items that run at the same time
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};  // limit for one attempt at one item's step
};

}  // namespace pawl
