#pragma once
// What can be said along with a call. Everything has a default: `{.retry = {.max_attempts = 3}, .delay =
// 5min}` names what differs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <pawl/error.hpp>

namespace pawl {

using Labels = std::map<std::string, std::string>;

// What is not given is as everybody has it: 4 attempts for a task, 5 for a step, the first again after a
// second, then twice as long each time, a minute at most.
struct RetryPolicy {
  std::optional<int> max_attempts = {};  // counts the first; below 0: for ever
  std::optional<Duration> initial_interval = {};
  std::optional<double> backoff = {};
  std::optional<Duration> max_interval = {};
  std::optional<double> jitter = {};
  std::vector<std::string> non_retryable = {};  // codes that end it at once
};

struct ConnectOptions {
  std::string ns = "default";
  std::string token = {};  // of a server that wants one
  // PEM files, for https.
  std::string ca_cert = {};
  std::string client_cert = {};
  std::string client_key = {};
};

struct EnqueueOptions {
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  std::optional<std::string> key = {};  // tasks of one key run one at a time, in order
  std::optional<std::string> idempotency_key = {};
  // Whose it is: tenants share a queue's claims by their weights, however many tasks each has waiting.
  std::optional<std::string> fairness_key = {};
  std::optional<double> fairness_weight = {};  // from 0.001 to 1000; 1 if not given
  std::optional<Duration> delay = {};
  std::optional<TimePoint> run_at = {};
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};  // of one attempt
  Labels labels = {};
};

enum class OnConflict : std::uint8_t { return_existing, fail, restart_if_closed };

struct StartOptions {
  std::optional<std::string> run_key = {};
  std::optional<std::string> queue = {};  // default: where the workers are that have offered the workflow
  std::optional<std::int32_t> priority = {};
  std::optional<Duration> deadline = {};
  Labels labels = {};
  OnConflict on_conflict = OnConflict::return_existing;  // where a run of this key is there already
};

struct SendOptions {
  std::optional<std::string> idempotency_key = {};  // the same again is not sent twice
};

struct WorkerOptions {
  std::vector<std::string> queues = {"default"};
  int max_concurrent = 16;  // tasks and workflows at a time, each on a thread
  int prefetch = 0;         // claimed beyond those, so that the next one is at hand when a thread is free
  Duration lease = std::chrono::seconds{30};
  Duration drain_timeout = std::chrono::seconds{30};  // what runs may end by itself; then it is asked to stop
  Duration suspend_after = std::chrono::seconds{1};   // a workflow that waits longer leaves its thread
  // Threads for the lambdas that one workflow spawns; more of them wait for a free one. A worker has 1024 of
  // them or 2 for each workflow, whichever is more, which may leave fewer to each.
  int branch_threads = 64;
  // How long the function of a step or a task may ignore its stop token after its timeout. Then its thread is
  // left behind, at most max_concurrent of them: the run goes on without it, and its result is ignored.
  Duration stop_grace = std::chrono::seconds{5};
  // Outputs of earlier steps that are kept in memory for each running workflow. The others are read again
  // when the code comes to their steps.
  std::size_t step_cache_bytes = std::size_t{16} << 20U;
  std::string version = {};
  Labels labels = {};
  std::function<void(const std::string&)> log = {};  // what nobody else would be told; default: stderr
};

struct HandlerOptions {
  // JSON Schema, as declared task types have it: what does not fit fails with the path and is not tried
  // again.
  std::string schema = {};
};

struct StepOptions {
  RetryPolicy retry = {};
  // Of one attempt. The step's stop token fires then, and the attempt fails with the code "timeout", whatever
  // its function returns. An attempt that goes on nevertheless is given up (WorkerOptions::stop_grace).
  std::optional<Duration> timeout = {};
};

struct SignalOptions {
  std::optional<Duration> timeout = {};  // none: it waits as long as it takes
};

struct AnyOptions {
  bool keep_losers = false;  // true: they go on, and may be asked for later
};

struct SpawnOptions {
  std::string name = {};                  // of the step; default: the task's type
  std::optional<std::string> queue = {};  // default: the workflow's own
  std::optional<std::int32_t> priority = {};
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};
  Labels labels = {};
};

struct ChildOptions {
  std::string name = {};  // of the step; default: the workflow's name
  std::optional<std::string> run_key = {};
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  std::optional<Duration> deadline = {};
  Labels labels = {};
};

struct MapOptions {
  std::string name = "map";  // the n-th item's step is "map[n]", which no step before it is called
  std::size_t parallel = 8;
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};  // of one attempt at one item's step
};

}  // namespace pawl
