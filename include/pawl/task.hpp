#pragma once
// The running attempt at a task, as its handler sees it. Use it on the handler's thread; any thread may use
// the stop token.

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <pawl/json.hpp>

namespace pawl {

namespace detail {
class TaskState;
}

// One attempt at a task.
class Task {
 public:
  explicit Task(detail::TaskState& state) : state_(state) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() = default;

  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] const std::string& type() const;
  [[nodiscard]] int attempt() const;  // the first is 1
  // Identical forevery attempt, also after a crash and after a manual retry: `{run_id}:{node_id}` in a run,
  // otherwise the task's id. Pass it to outside services as their idempotency key.
  [[nodiscard]] std::string operation_key() const;
  // The operation key and the attempt: identifies this attempt in logs and traces.
  [[nodiscard]] const std::string& execution_key() const;
  // The W3C trace context of the request that created the task or its run; empty if there is none.
  [[nodiscard]] const std::string& traceparent() const;
  [[nodiscard]] const std::string& tracestate() const;

  // Stop is requested when the task is canceled, at its timeout, when the worker stops and when the lease is
  // lost. After a lost lease no report of this attempt is accepted.
  [[nodiscard]] std::stop_token stop_token() const;
  // Whether a long handler should continue. The worker itself renews the lease.
  bool heartbeat() const { return !stop_token().stop_requested(); }

  // Adds a checkpoint with the progress of the task, from 0 to 1.
  void progress(double fraction, std::string_view message = "") const {
    add_checkpoint("state_transition", Json{{"progress", fraction}, {"message", message}}.dump());
  }
  // Adds a checkpoint with a status text.
  void set_status(std::string_view status) const {
    add_checkpoint("state_transition", Json{{"status", status}}.dump());
  }
  // Adds a checkpoint of this type. Checkpoints are append-only and are shown with the task.
  template <typename T>
  void checkpoint(std::string_view type, const T& snapshot) const {
    add_checkpoint(type, detail::encode(snapshot));
  }

 private:
  void add_checkpoint(std::string_view type, std::string snapshot) const;

  detail::TaskState& state_;
};

}  // namespace pawl
