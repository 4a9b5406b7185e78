#pragma once
// Requests about runs. Each is both a command of the engine and a use case of RunApi.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/records/audit.hpp"
#include "core/run/run_machine.hpp"

namespace pawl::core {

enum class OnConflict : std::uint8_t { return_existing, fail, restart_if_closed };
inline constexpr int kOnConflictCount = 3;
[[nodiscard]] std::string_view to_string(OnConflict on_conflict);
[[nodiscard]] std::optional<OnConflict> on_conflict_from(std::string_view name);

// Starts a run. A graph run uses the latest definition if `version` is absent, and by default its deadline.
struct StartRun {
  std::string ns = "default";
  std::optional<RunId> id = {};  // reserved before the start; absent: the engine assigns one
  std::string workflow = {};
  std::optional<std::string> run_key = {};
  RawJson input = {};
  std::optional<int> version = {};
  std::optional<RunKind> kind = {};  // code: a code run if there is no definition
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  std::optional<Duration> deadline = {};  // from the start; excludes deadline_at
  std::optional<TimePoint> deadline_at = {};
  Labels labels = {};
  OnConflict on_conflict = OnConflict::return_existing;
  std::string trace_id = {};  // of a W3C traceparent
  std::string span_id = {};
  std::uint8_t trace_flags = kTraceSampled;
  std::string tracestate = {};
  Actor by = {};
  std::vector<std::string> bound_to = {};  // the queues of the caller's token; empty: all
};
// Starts an open run, a container: its tasks are added one by one, with `TaskSpec::run_id` and `after`.
struct OpenRun {
  std::string ns = "default";
  std::string workflow = "open";
  std::optional<std::string> run_key = {};
  RawJson input = {};
  std::optional<Duration> deadline = {};
  std::optional<TimePoint> deadline_at = {};
  Labels labels = {};
  bool auto_complete = false;
  OnConflict on_conflict = OnConflict::return_existing;
  std::string trace_id = {};
  std::string span_id = {};
  std::uint8_t trace_flags = kTraceSampled;
  std::string tracestate = {};
  Actor by = {};
};
struct RunStarted {
  bool created = false;
  // Only the id of `run` is set: an SQL function has returned it, and the run is about to be started.
  bool is_promised = false;
  Run run = {};

  bool operator==(const RunStarted&) const = default;
};

struct RunRef {
  std::string ns = "default";
  RunId id = {};
};

struct RunQuery {
  std::string ns = "default";
  std::vector<RunState> states = {};  // empty: all
  bool retrying = false;              // only runs with a task that waits for a retry
  std::optional<std::string> workflow = {};
  std::optional<std::string> run_key = {};
  std::optional<RunId> parent = {};
  std::optional<std::pair<std::string, std::string>> label = {};
  std::optional<TimePoint> created_after = {};
  std::optional<TimePoint> created_before = {};
};
struct ActOnRun {
  RunRef run = {};
  RunActionAsked asked = {};
  Actor by = {};
};
// A run that its timer or its deadline could not move on, and the reason.
struct ParkRun {
  RunId run = {};
  std::optional<NodeKey> timer = {};  // absent: its deadline
  std::string why = {};
};
struct RewindRun {
  RunRef run = {};
  std::string to = {};  // the id of a task
  std::optional<std::int64_t> expected_sequence = {};
  Actor by = {};
};
struct SignalRun {
  RunRef run = {};
  SignalSent signal = {};
  Actor by = {};
};

}  // namespace pawl::core
