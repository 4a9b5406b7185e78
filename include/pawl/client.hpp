#pragma once
// connect() gives a Client, the same for a store in this process and for a server: a program moves from one
// to the other by changing the address.
//
//   sqlite:FILE, postgres://…, postgres:CONNINFO   the engine runs in this process, on that database
//   memory:                                        the same, on nothing that lasts: for tests
//   http://HOST:PORT, https://…                    a server
//
// A Client is cheap to copy and may be used from any thread. Every call returns when its outcome is durable,
// and throws pawl::Error when it is refused.

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

struct Event {
  std::int64_t sequence = 0;
  std::string type = {};  // "workflow_started", "step_completed", …
  TimePoint at = {};
  std::string payload_text = "null";  // JSON

  [[nodiscard]] Json payload() const { return detail::decode<Json>(payload_text); }
};

struct ErrorInfo {
  std::string code = {};
  std::string message = {};
  bool retryable = true;
};

struct RunInfo {
  std::string id = {};
  std::string workflow = {};
  std::string state = {};  // "running", "sleeping", "completed", …
  std::optional<std::string> run_key = {};
  std::optional<std::string> custom_status = {};
  std::string output_text = "null";  // JSON
  std::optional<ErrorInfo> error = {};
  std::optional<ErrorInfo> compensation_error = {};  // of compensation_failed: what is not undone, and why
  TimePoint created_at = {};
  std::optional<TimePoint> finished_at = {};
  std::optional<std::string> continued_from = {};  // the run whose place this one took (continue_as_new)
  std::optional<std::string> continued_as = {};    // the run that took the place of this one
  bool is_closed = false;                          // it has ended

  template <typename T>
  [[nodiscard]] T output() const {
    return detail::decode<T>(output_text);
  }
};

struct StepInfo {
  std::string step = {};
  std::string kind = {};   // "function", "sleep", "signal", …
  std::string state = {};  // "completed", "failed", "waiting", …
  int attempt = 1;
  std::string output_text = "null";  // JSON
  std::optional<ErrorInfo> error = {};
};

struct TaskInfo {
  std::string id = {};
  std::string type = {};
  std::string queue = {};
  std::string status = {};  // "pending", "running", "completed", …
  int attempt = 0;
  std::string payload_text = "null";  // JSON
  std::string output_text = "null";
  std::optional<ErrorInfo> error = {};
  bool is_finished = false;

  template <typename T>
  [[nodiscard]] T output() const {
    return detail::decode<T>(output_text);
  }
};

struct Enqueued {
  std::string id = {};
  bool created = false;  // false: one with the same idempotency key was there
};

// One task of a batch; `new_task` makes it.
struct NewTask {
  std::string type = {};
  std::string payload_text = "null";
  EnqueueOptions options = {};
};
template <typename T>
[[nodiscard]] NewTask new_task(std::string_view type, const T& payload, const EnqueueOptions& options = {}) {
  return {.type = std::string{type}, .payload_text = detail::encode_argument(payload), .options = options};
}

struct RunQuery {
  std::optional<std::string> workflow = {};
  std::optional<std::string> run_key = {};
  std::vector<std::string> states = {};  // none: all
  int limit = 50;                        // the newest
};

// One run, by its id.
class Run {
 public:
  Run(std::shared_ptr<detail::Connection> connection, std::string id)
      : connection_(std::move(connection)), id_(std::move(id)) {}

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] RunInfo info() const;
  [[nodiscard]] std::string state() const { return info().state; }

  // Kept until the run asks for it.
  template <typename T>
  void signal(std::string_view name, const T& payload, const SendOptions& options = {}) const {
    send_signal(name, detail::encode_argument(payload), options);
  }
  void signal(std::string_view name) const { send_signal(name, "null", {}); }

  // Waits for the end, also of the runs that continue this one, and gives what the last gave. Throws
  // RunFailed if it did not complete; Error{"timeout"} if it has not ended within `timeout`. A server or a
  // database that cannot be reached is tried again until `timeout`; without one, for ten minutes after its
  // last reply.
  template <typename T>
  [[nodiscard]] T result(std::optional<Duration> timeout = {}) const {
    return detail::decode<T>(wait_for_output(timeout));
  }
  // The same where what it gives is not of interest.
  void wait(std::optional<Duration> timeout = {}) const { static_cast<void>(wait_for_output(timeout)); }

  void cancel(const std::string& reason = "") const { act("cancel", reason); }
  void pause(const std::string& reason = "") const { act("pause", reason); }
  void resume() const { act("resume", ""); }
  // Continues after a failure and keeps the completed steps; after compensation_failed, runs the failed undos
  // again.
  void retry() const { act("retry", ""); }
  // Ends the run now, without undoing anything and without any worker; its children too.
  void terminate(const std::string& reason = "") const { act("terminate", reason); }
  // Gives up an undo of a run that is compensation_failed. With none left the run is compensated.
  void skip(const std::string& step) const;

  // All that happened so far after the event of this sequence, in order.
  [[nodiscard]] std::vector<Event> events(std::int64_t after = 0) const;
  // The attempts at its steps.
  [[nodiscard]] std::vector<StepInfo> steps() const;

  [[nodiscard]] const std::shared_ptr<detail::Connection>& connection() const { return connection_; }

 private:
  friend class Client;
  void send_signal(std::string_view name, std::string payload, const SendOptions& options) const;
  [[nodiscard]] std::string wait_for_output(std::optional<Duration> timeout) const;
  void act(const std::string& action, const std::string& reason) const;

  std::shared_ptr<detail::Connection> connection_;  // shared by the client and all that it gave
  std::string id_;
};

class Client {
 public:
  explicit Client(std::shared_ptr<detail::Connection> connection) : connection_(std::move(connection)) {}

  template <typename T>
  Run start(std::string_view workflow, const T& input, const StartOptions& options = {}) const {
    return start_text(workflow, detail::encode_argument(input), options);
  }
  Run start(std::string_view workflow) const { return start_text(workflow, "null", {}); }
  [[nodiscard]] Run run(std::string_view id) const { return Run{connection_, std::string{id}}; }
  [[nodiscard]] std::vector<RunInfo> runs(const RunQuery& query = {}) const;

  template <typename T>
  Enqueued enqueue(std::string_view type, const T& payload, const EnqueueOptions& options = {}) const {
    return enqueue_text(type, detail::encode_argument(payload), options);
  }
  Enqueued enqueue(std::string_view type) const { return enqueue_text(type, "null", {}); }
  // All or none, in order.
  std::vector<Enqueued> enqueue_batch(const std::vector<NewTask>& tasks) const;
  template <typename T>
  std::vector<Enqueued> enqueue_batch(std::string_view type, const std::vector<T>& payloads,
                                      const EnqueueOptions& options = {}) const {
    std::vector<NewTask> tasks;
    for (const T& payload : payloads) tasks.push_back(new_task(type, payload, options));
    return enqueue_batch(tasks);
  }
  [[nodiscard]] TaskInfo task(std::string_view id) const;
  void cancel_task(std::string_view id) const;
  void retry_task(std::string_view id) const;

  // By name; one that is taken is refused (Error{"conflict"}).
  template <typename T>
  ScheduleInfo schedule_workflow(std::string_view name, std::string_view workflow, const T& input,
                                 const ScheduleOptions& options) const {
    return add_schedule({.name = std::string{name}, .workflow = std::string{workflow}},
                        detail::encode_argument(input), options);
  }
  template <typename T>
  ScheduleInfo schedule_task(std::string_view name, std::string_view type, const T& payload,
                             const ScheduleOptions& options) const {
    return add_schedule({.name = std::string{name}, .task_type = std::string{type}},
                        detail::encode_argument(payload), options);
  }
  [[nodiscard]] ScheduleInfo schedule(std::string_view name) const;
  [[nodiscard]] std::vector<ScheduleInfo> schedules() const;  // by name
  void pause_schedule(std::string_view name) const { enable_schedule(name, false); }
  void resume_schedule(std::string_view name) const { enable_schedule(name, true); }
  void trigger_schedule(std::string_view name) const;  // once more, now
  void delete_schedule(std::string_view name) const;

  // Ends what a workflow's promise waits for; the first end counts.
  template <typename T>
  void complete_promise(std::string_view token, const T& value) const {
    end_promise(token, R"({"value":)" + detail::encode_argument(value) + "}");
  }
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

  std::shared_ptr<detail::Connection> connection_;  // shared by the copies of this client
};

[[nodiscard]] Client connect(const std::string& address, const ConnectOptions& options = {});

}  // namespace pawl
