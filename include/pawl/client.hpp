#pragma once
// The client API: starts runs, enqueues tasks, manages schedules and reads their state.
//
// connect() returns the same Client for a store in this process and for a server, so a program moves from one
// to the other by changing the address:
//
//   sqlite:FILE, postgres://…, postgres:CONNINFO   the engine runs in this process, on that database
//   memory:                                        the same, but nothing is stored on disk: for tests
//   http://HOST:PORT, https://…                    a server
//
// Every call returns when its effect is durable. A rejected call throws pawl::Error. A Client is cheap to
// copy, and any thread may use it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pawl/json.hpp>
#include <pawl/options.hpp>
#include <pawl/schedule.hpp>

namespace pawl {

namespace detail {
class Connection;
}

// One entry of a run's event log.
struct Event {
  // Position in the run's log. A run's sequences have no gaps.
  std::int64_t sequence = 0;
  std::string type = {};  // such as "workflow_started" or "step_completed"
  TimePoint at = {};
  std::string payload_text = "null";  // JSON

  [[nodiscard]] Json payload() const { return detail::decode<Json>(payload_text); }
};

// Why a run, a step or a task failed.
struct ErrorInfo {
  std::string code = {};
  std::string message = {};
  bool retryable = true;
};

// A snapshot of a run.
struct RunInfo {
  std::string id = {};
  std::string workflow = {};
  std::string state = {};  // such as "running", "sleeping" or "completed"
  std::optional<std::string> run_key = {};
  // The text that the workflow last passed to Workflow::set_status.
  std::optional<std::string> custom_status = {};
  std::string output_text = "null";  // JSON
  std::optional<ErrorInfo> error = {};
  // Set in the state "compensation_failed": which undo failed, and why.
  std::optional<ErrorInfo> compensation_error = {};
  TimePoint created_at = {};
  std::optional<TimePoint> finished_at = {};
  std::optional<std::string> continued_from = {};  // the run that this one replaces (continue_as_new)
  std::optional<std::string> continued_as = {};    // the run that replaces this one
  bool is_closed = false;                          // the run has ended

  template <typename T>
  [[nodiscard]] T output() const {
    return detail::decode<T>(output_text);
  }
};

// One attempt at a step of a run.
struct StepInfo {
  std::string step = {};
  std::string kind = {};   // such as "function", "sleep" or "signal"
  std::string state = {};  // such as "running", "completed", "failed" or "waiting"
  int attempt = 1;         // the first is 1
  std::optional<TimePoint> started_at = {};
  std::optional<TimePoint> finished_at = {};
  std::string output_text = "null";  // JSON
  std::optional<ErrorInfo> error = {};
};

// A snapshot of a task.
struct TaskInfo {
  std::string id = {};
  std::string type = {};
  std::string queue = {};
  std::string status = {};            // such as "pending", "running" or "completed"
  int attempt = 0;                    // the last attempt; 0 before the first claim
  std::string payload_text = "null";  // JSON
  std::string output_text = "null";   // JSON
  std::optional<ErrorInfo> error = {};
  bool is_finished = false;  // the status is final; only retry_task() changes it

  template <typename T>
  [[nodiscard]] T output() const {
    return detail::decode<T>(output_text);
  }
};

// The result of an enqueue.
struct Enqueued {
  std::string id = {};
  bool created = false;  // false: a task with the same idempotency key exists
};

// One task of a batch (Client::enqueue_batch); new_task() creates it.
struct NewTask {
  std::string type = {};
  std::string payload_text = "null";
  EnqueueOptions options = {};
};
// Throws Error{"invalid_argument"} if the payload has no JSON form.
template <typename T>
[[nodiscard]] NewTask new_task(std::string_view type, const T& payload, const EnqueueOptions& options = {}) {
  return {.type = std::string{type}, .payload_text = detail::encode_argument(payload), .options = options};
}

// Filters for Client::runs. An unset field matches every run.
struct RunQuery {
  std::optional<std::string> workflow = {};
  std::optional<std::string> run_key = {};
  std::vector<std::string> states = {};  // empty: all states
  int limit = 50;                        // the newest ones; from 1 to 500
};

// A handle to one run. It holds only the id, so each call reads the current state.
class Run {
 public:
  Run(std::shared_ptr<detail::Connection> connection, std::string id)
      : connection_(std::move(connection)), id_(std::move(id)) {}

  [[nodiscard]] const std::string& id() const { return id_; }
  // Throws Error{"not_found"} if no run has this id.
  [[nodiscard]] RunInfo info() const;
  [[nodiscard]] std::string state() const { return info().state; }

  // Sends a signal. The run keeps it until the workflow reads it with Workflow::signal.
  template <typename T>
  void signal(std::string_view name, const T& payload, const SendOptions& options = {}) const {
    send_signal(name, detail::encode_argument(payload), options);
  }
  void signal(std::string_view name) const { send_signal(name, "null", {}); }

  // Waits until the run has ended and returns its output. If the run continued as a new one, waits for the
  // last run of the chain. Throws RunFailed if the run did not complete, and Error{"timeout"} if it has not
  // ended within `timeout` (default: no limit). While the server or the database is unreachable, retries
  // until `timeout`, or without one until ten minutes after the last reply. An output that does not decode to
  // T throws Error{"invalid_payload"}.
  template <typename T>
  [[nodiscard]] T result(std::optional<Duration> timeout = {}) const {
    return detail::decode<T>(wait_for_output(timeout));
  }
  // Like result(), but ignores the output.
  void wait(std::optional<Duration> timeout = {}) const { static_cast<void>(wait_for_output(timeout)); }

  // Requests the run to stop: its stop tokens fire, its undos run, then it ends.
  void cancel(const std::string& reason = "") const { act("cancel", reason); }
  // Lets the current step end and starts no other step until resume().
  void pause(const std::string& reason = "") const { act("pause", reason); }
  void resume() const { act("resume", ""); }
  // Continues a failed run; completed steps keep their results. In the state "compensation_failed", runs the
  // failed undos again.
  void retry() const { act("retry", ""); }
  // Ends the run and its children immediately. Runs no undo and needs no worker.
  void terminate(const std::string& reason = "") const { act("terminate", reason); }
  // Gives up a failed undo of a run in the state "compensation_failed". When no failed undo remains, the run
  // is "compensated".
  void skip(const std::string& step) const;

  // The events after the one with the sequence `after`, in order.
  [[nodiscard]] std::vector<Event> events(std::int64_t after = 0) const;
  // The attempts at the run's steps.
  [[nodiscard]] std::vector<StepInfo> steps() const;

  [[nodiscard]] const std::shared_ptr<detail::Connection>& connection() const { return connection_; }

 private:
  friend class Client;
  void send_signal(std::string_view name, std::string payload, const SendOptions& options) const;
  [[nodiscard]] std::string wait_for_output(std::optional<Duration> timeout) const;
  void act(const std::string& action, const std::string& reason) const;

  std::shared_ptr<detail::Connection> connection_;  // shared with the client and its other handles
  std::string id_;
};

// Access to one namespace of a store or a server. Copies share the connection.
class Client {
 public:
  explicit Client(std::shared_ptr<detail::Connection> connection) : connection_(std::move(connection)) {}

  // Starts a run of a workflow. If options.run_key names an existing run, options.on_conflict decides.
  template <typename T>
  Run start(std::string_view workflow, const T& input, const StartOptions& options = {}) const {
    return start_text(workflow, detail::encode_argument(input), options);
  }
  Run start(std::string_view workflow) const { return start_text(workflow, "null", {}); }
  // A handle to an existing run. Throws only when it is used.
  [[nodiscard]] Run run(std::string_view id) const { return Run{connection_, std::string{id}}; }
  // The newest runs that match the query.
  [[nodiscard]] std::vector<RunInfo> runs(const RunQuery& query = {}) const;

  // Enqueues a task. Returns the existing task if options.idempotency_key matches one of the same type.
  template <typename T>
  Enqueued enqueue(std::string_view type, const T& payload, const EnqueueOptions& options = {}) const {
    return enqueue_text(type, detail::encode_argument(payload), options);
  }
  Enqueued enqueue(std::string_view type) const { return enqueue_text(type, "null", {}); }
  // Enqueues all tasks in one commit, or none. Returns the results in the order of `tasks`. A batch has at
  // most 10,000 tasks.
  std::vector<Enqueued> enqueue_batch(const std::vector<NewTask>& tasks) const;
  template <typename T>
  std::vector<Enqueued> enqueue_batch(std::string_view type, const std::vector<T>& payloads,
                                      const EnqueueOptions& options = {}) const {
    std::vector<NewTask> tasks;
    for (const T& payload : payloads) tasks.push_back(new_task(type, payload, options));
    return enqueue_batch(tasks);
  }
  // Throws Error{"not_found"} if no task has this id.
  [[nodiscard]] TaskInfo task(std::string_view id) const;
  // Cancels a waiting task now. A running task's stop token fires, and its handler decides how it ends.
  void cancel_task(std::string_view id) const;
  // Makes a task that failed for good ("failed", "dead_letter") claimable again, with a full retry budget.
  void retry_task(std::string_view id) const;

  // Creates a schedule that starts a run at each of its times. Throws Error{"conflict"} if the name is in
  // use.
  template <typename T>
  ScheduleInfo schedule_workflow(std::string_view name, std::string_view workflow, const T& input,
                                 const ScheduleOptions& options) const {
    return add_schedule({.name = std::string{name}, .workflow = std::string{workflow}},
                        detail::encode_argument(input), options);
  }
  // Creates a schedule that enqueues a task at each of its times. Throws Error{"conflict"} if the name is in
  // use.
  template <typename T>
  ScheduleInfo schedule_task(std::string_view name, std::string_view type, const T& payload,
                             const ScheduleOptions& options) const {
    return add_schedule({.name = std::string{name}, .task_type = std::string{type}},
                        detail::encode_argument(payload), options);
  }
  // Finds a schedule by its name. Throws Error{"not_found"} if there is none.
  [[nodiscard]] ScheduleInfo schedule(std::string_view name) const;
  [[nodiscard]] std::vector<ScheduleInfo> schedules() const;  // sorted by name
  // A paused schedule skips its times until it is resumed.
  void pause_schedule(std::string_view name) const { enable_schedule(name, false); }
  void resume_schedule(std::string_view name) const { enable_schedule(name, true); }
  // Starts the scheduled task or workflow once, now. The schedule's times do not change.
  void trigger_schedule(std::string_view name) const;
  // Deletes the schedule. Its runs and tasks continue.
  void delete_schedule(std::string_view name) const;

  // Completes a workflow's promise (Workflow::promise). The first completion or failure counts; later ones
  // are ignored.
  template <typename T>
  void complete_promise(std::string_view token, const T& value) const {
    end_promise(token, R"({"value":)" + detail::encode_argument(value) + "}");
  }
  // Fails a workflow's promise: Promise::get throws StepFailed with the failure's code and message.
  void fail_promise(std::string_view token, const Failure& failure) const;

  [[nodiscard]] const std::shared_ptr<detail::Connection>& connection() const { return connection_; }

 private:
  [[nodiscard]] Run start_text(std::string_view workflow, std::string input,
                               const StartOptions& options) const;
  [[nodiscard]] Enqueued enqueue_text(std::string_view type, std::string payload,
                                      const EnqueueOptions& options) const;
  void end_promise(std::string_view token, std::string outcome) const;
  [[nodiscard]] ScheduleInfo add_schedule(const ScheduleInfo& what, std::string input,
                                          const ScheduleOptions& options) const;
  void enable_schedule(std::string_view name, bool enabled) const;

  std::shared_ptr<detail::Connection> connection_;  // shared with the copies of this client
};

// Opens a store or connects to a server. Throws Error{"invalid_argument"} if the address has no known form. A
// local store is created and migrated if necessary; opening it can fail, while a server is first contacted by
// a call.
[[nodiscard]] Client connect(const std::string& address, const ConnectOptions& options = {});

}  // namespace pawl
