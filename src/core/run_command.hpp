#pragma once
// What callers ask of runs. Each is a command of the engine and a use case of RunApi alike.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/audit.hpp"
#include "core/run_machine.hpp"

namespace pawl::core {

enum class OnConflict : std::uint8_t { return_existing, fail, restart_if_closed };
inline constexpr int kOnConflictCount = 3;
[[nodiscard]] std::string_view to_string(OnConflict on_conflict);
[[nodiscard]] std::optional<OnConflict> on_conflict_from(std::string_view name);

// Of a graph run: the latest version of the definition if none is given, and its deadline.
struct StartRun {
  std::string ns = "default";
  std::optional<RunId> id = {};  // given out before it is started; none: the engine gives one
  std::string workflow = {};
  std::optional<std::string> run_key = {};
  RawJson input = {};
  std::optional<int> version = {};
  std::optional<RunKind> kind = {};  // code: one of code, where there is no definition
  std::optional<std::string> queue = {};
  std::optional<std::int32_t> priority = {};
  std::optional<Duration> deadline = {};  // from the start; or
  std::optional<TimePoint> deadline_at = {};
  Labels labels = {};
  OnConflict on_conflict = OnConflict::return_existing;
  std::string trace_id = {};  // of a W3C traceparent
  std::string span_id = {};
  Actor by = {};
  std::vector<std::string> bound_to = {};  // the queues of the caller's token; none: all
};
// A container: its tasks are added one by one, with `TaskSpec::run_id` and `after`.
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
  Actor by = {};
};
struct RunStarted {
  bool created = false;
  Run run = {};

  bool operator==(const RunStarted&) const = default;
};

struct RunRef {
  std::string ns = "default";
  RunId id = {};
};

struct RunQuery {
  std::string ns = "default";
  std::vector<RunState> states = {};  // none: all
  bool retrying = false;              // only those of which a task waits to be tried again
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
// A run that a timer or its deadline could not move on, and why.
struct ParkRun {
  RunId run = {};
  std::optional<NodeKey> timer = {};  // none: its deadline
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
