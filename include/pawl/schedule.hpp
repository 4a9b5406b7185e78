#pragma once
// What starts at its time: a task or a workflow, by cron or every so often.

#include <optional>
#include <string>
#include <vector>

#include <pawl/options.hpp>

namespace pawl {

enum class Overlap : std::uint8_t { allow, skip, queue, cancel_previous };

// When, and what if it cannot.
struct ScheduleOptions {
  std::optional<std::string> cron = {};  // "30 9 * * mon-fri"; or
  std::optional<Duration> every = {};
  std::string timezone = "UTC";  // such as Europe/Berlin; for cron
  std::optional<std::string> queue = {};
  int max_catchup = 100;             // slots that were missed and are made up for
  Overlap overlap = Overlap::allow;  // where the one before has not ended
  Duration jitter = Duration{0};     // at most so much later, by chance
  std::optional<TimePoint> start_at = {};
  std::optional<TimePoint> end_at = {};
};

struct ScheduleInfo {
  std::string id = {};
  std::string name = {};
  std::optional<std::string> cron = {};
  std::optional<Duration> every = {};
  std::string timezone = {};
  std::optional<std::string> workflow = {};
  std::optional<std::string> task_type = {};
  bool is_paused = false;
  std::optional<TimePoint> next_fire_at = {};
  std::optional<TimePoint> last_fire_at = {};
};

}  // namespace pawl
