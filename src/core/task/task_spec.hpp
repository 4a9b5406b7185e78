#pragma once
// The request for a new task.

#include <optional>
#include <string>
#include <vector>

#include "core/base/limits.hpp"
#include "core/task/task.hpp"

namespace pawl::core {

struct TaskSpec {
  // The fields that the caller gave even though they have the general default: the defaults of the type do
  // not replace them. A field with another value was given in any case.
  struct Given {
    bool queue = false;
    bool priority = false;
    bool retry = false;
  };

  std::optional<TaskId> id = {};  // reserved before the task is created; absent: the engine assigns one
  std::string type = {};
  RawJson payload = {};
  bool takes_run_input = false;  // the payload is the run's input
  std::string queue{kQueueDefault};
  std::int32_t priority = 0;
  std::optional<std::string> key = {};
  std::optional<std::string> idempotency_key = {};
  std::optional<std::string> fairness_key = {};
  std::optional<double> fairness_weight = {};
  std::optional<Duration> delay = {};
  std::optional<TimePoint> run_at = {};
  RetryPolicy retry = {};
  std::optional<Duration> timeout = {};
  Labels labels = {};
  std::optional<RunId> run_id = {};  // the open run to which it is added
  std::vector<TaskId> after = {};    // tasks of that run that must complete first
  Given given = {};

  // Whether the caller gave these fields.
  [[nodiscard]] bool has_queue() const;
  [[nodiscard]] bool has_priority() const;
  [[nodiscard]] bool has_retry() const;
};

}  // namespace pawl::core
