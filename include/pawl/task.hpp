#pragma once
// What a task's handler knows of the attempt that it is. Used on the handler's thread; the stop token from
// any.

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <pawl/json.hpp>

namespace pawl {

namespace detail {
class TaskState;
}

class Task {
 public:
  explicit Task(detail::TaskState& state) : state_(state) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() = default;

  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] const std::string& type() const;
  [[nodiscard]] int attempt() const;  // from 1
  // The same for every attempt, also after a crash and a retry by hand; in a run `{run_id}:{node_id}`, else
  // the task's id. Hand it to outside services as their idempotency key.
  [[nodiscard]] std::string operation_key() const;
  // Names this attempt, for logs and traces: the operation key and the attempt.
  [[nodiscard]] const std::string& execution_key() const;
  // The trace that its run is part of, as W3C has it; empty: none.
  [[nodiscard]] const std::string& traceparent() const;

  // Stop is requested when the task is cancelled, when its lease is lost (nothing that is reported then is
  // taken) or when the worker is going.
  [[nodiscard]] std::stop_token stop_token() const;
  // For long work: whether to go on. The lease itself is renewed by the worker.
  bool heartbeat() const { return !stop_token().stop_requested(); }

  // Evidence that is kept with the task: how far it is, from 0 to 1.
  void progress(double fraction, std::string_view message = "") const {
    add_checkpoint("state_transition", Json{{"progress", fraction}, {"message", message}}.dump());
  }
  void set_status(std::string_view status) const {
    add_checkpoint("state_transition", Json{{"status", status}}.dump());
  }
  template <typename T>
  void checkpoint(std::string_view type, const T& snapshot) const {
    add_checkpoint(type, detail::encode(snapshot));
  }

 private:
  void add_checkpoint(std::string_view type, std::string snapshot) const;

  detail::TaskState& state_;
};

}  // namespace pawl
