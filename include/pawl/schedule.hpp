#pragma once
// Schedules: start a task or a workflow repeatedly, by a cron expression or at a fixed interval.

#include <optional>
#include <string>
#include <vector>

#include <pawl/options.hpp>

namespace pawl {

// What happens at a scheduled time if the previous run or task has not ended: start another one, skip this
// time, wait for the previous one, or cancel it.
enum class Overlap : std::uint8_t { allow, skip, queue, cancel_previous };

// What cron does at a daylight saving change, for times that a gap leaves out (fire right after the gap, or
// not at all) and for times that occur twice (fire the first time, the last time, or both times). Applies to
// fixed times; an expression with a wildcard in the minute or the hour follows the clock instead.
enum class DstGap : std::uint8_t { shift, skip };
enum class DstFold : std::uint8_t { first, last, both };
struct Dst {
  DstGap gap = DstGap::shift;
  DstFold fold = DstFold::first;

  bool operator==(const Dst&) const = default;
};

// The times of a schedule and what happens at them. Set exactly one of `cron` and `every`.
struct ScheduleOptions {
  std::optional<std::string> cron = {};  // such as "30 9 * * mon-fri"
  std::optional<Duration> every = {};
  std::string timezone = "UTC";           // an IANA name such as Europe/Berlin; for cron
  std::optional<std::string> queue = {};  // of the tasks or runs it starts
  Dst dst = {};                           // for cron
  int max_catchup = 100;  // after an outage, fire at most this many of the missed times, the latest ones
  Overlap overlap = Overlap::allow;        // applies if the previous one has not ended
  Duration jitter = Duration{0};           // each firing is delayed by a random time up to this
  std::optional<TimePoint> start_at = {};  // no firing before it
  std::optional<TimePoint> end_at = {};    // no firing at or after it
};

// A snapshot of a schedule.
struct ScheduleInfo {
  std::string id = {};
  std::string name = {};
  std::optional<std::string> cron = {};
  std::optional<Duration> every = {};
  std::string timezone = {};
  std::optional<std::string> workflow = {};
  std::optional<std::string> task_type = {};
  Dst dst = {};
  bool is_paused = false;
  // Absent while the schedule is paused, or if no time remains.
  std::optional<TimePoint> next_fire_at = {};
  // The latest scheduled time that fired. Skipped times, triggers and backfills do not change it.
  std::optional<TimePoint> last_fired_at = {};
};

}  // namespace pawl
