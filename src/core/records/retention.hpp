#pragma once
// Retention: how long ended rows are kept, and which rows have expired. Pure: engine/retention.hpp reads the
// settings, the rows and the clock.
//
// Invariants: only ended rows expire, and a task of a run is kept exactly as long as its run.

#include <map>
#include <string>

#include "core/base/time.hpp"
#include "core/records/audit.hpp"
#include "core/records/namespace_settings.hpp"
#include "core/run/run.hpp"
#include "core/task/task.hpp"

namespace pawl::core {

inline constexpr Duration kDay = std::chrono::hours{24};

// The server's settings; a namespace's settings override them.
struct Retention {
  Duration tasks = 7 * kDay;
  Duration runs = 30 * kDay;
  Duration audit = 365 * kDay;
};

// The fields of an ended task that determine how long it is kept.
struct FinishedTask {
  TaskId id = {};
  const Lane* lane = nullptr;
  TaskStatus status = TaskStatus::completed;
  TimePoint finished_at = {};

  bool operator==(const FinishedTask&) const = default;
};

class RetentionRules {
 public:
  RetentionRules(Retention standard, std::map<std::string, NamespaceSettings> namespaces)
      : standard_(standard), namespaces_(std::move(namespaces)) {}

  // A queue's setting overrides the one of the state, which overrides the server's.
  [[nodiscard]] Duration kept_for(const Lane& lane, TaskStatus status) const;
  [[nodiscard]] Duration runs_kept_for(const std::string& ns) const;

  [[nodiscard]] bool is_old(const FinishedTask& task, TimePoint now) const;
  [[nodiscard]] bool is_old(const Run& run, TimePoint now) const;
  [[nodiscard]] bool is_old(const AuditEntry& entry, TimePoint now) const;

  // Rows created after this time cannot have expired: a walk from the oldest may end there.
  [[nodiscard]] TimePoint end_of_tasks(TimePoint now) const;
  [[nodiscard]] TimePoint end_of_runs(TimePoint now) const;

 private:
  [[nodiscard]] const NamespaceSettings& settings_of(const std::string& ns) const;

  Retention standard_;
  std::map<std::string, NamespaceSettings> namespaces_;
};

}  // namespace pawl::core
