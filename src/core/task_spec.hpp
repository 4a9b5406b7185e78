#pragma once
// What a caller asks for when a task is to be made.

#include <optional>
#include <string>
#include <vector>

#include "core/limits.hpp"
#include "core/task.hpp"

namespace pawl::core {

struct TaskSpec {
  // What a caller gave although it is what everybody gets: the type's own defaults do not replace it. What
  // differs from that was given in any case.
  struct Given {
    bool queue = false;
    bool priority = false;
    bool retry = false;
  };

  std::optional<TaskId> id = {};  // given out before it is made; none: the engine gives one
  std::string type = {};
  RawJson payload = {};
  bool takes_run_input = false;  // instead of a payload
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
  std::optional<RunId> run_id = {};  // an open run that it is added to
  std::vector<TaskId> after = {};    // tasks of that run that must complete first
  Given given = {};

  // Whether a caller gave them.
  [[nodiscard]] bool has_queue() const;
  [[nodiscard]] bool has_priority() const;
  [[nodiscard]] bool has_retry() const;
};

}  // namespace pawl::core
