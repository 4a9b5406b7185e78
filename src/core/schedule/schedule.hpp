#pragma once
// Schedules: start a workflow or a task repeatedly. The slots of a schedule are the moments at which it
// fires. Claiming a slot that has come creates a firing, and a firing becomes at most one run or task.
//
// Invariants: the next slot is computed from the claimed one, never from a clock. A slot is claimed in one
// commit together with the next slot, compared with the version of the schedule, so that only one of any
// number of nodes claims it. The run or task that a firing starts carries the firing's key, so that starting
// it twice creates one.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/records/record.hpp"
#include "core/schedule/slots.hpp"
#include "core/task/task_spec.hpp"

namespace pawl::core {

// How a slot is handled while the previous firing is still in progress.
enum class Overlap : std::uint8_t { allow, skip, queue, cancel_previous };
inline constexpr int kOverlapCount = 4;
[[nodiscard]] std::string_view to_string(Overlap overlap);
[[nodiscard]] std::optional<Overlap> overlap_from(std::string_view name);

struct Schedule {
  std::string id = {};
  std::string name = {};
  std::string cron = {};  // or
  std::optional<Duration> every = {};
  std::string timezone = "UTC";
  std::string workflow = {};  // or
  std::optional<TaskSpec> task = {};
  RawJson input = {};
  std::optional<std::string> queue = {};
  bool enabled = true;
  Dst dst = {};           // what cron does when the clocks change
  int max_catchup = 100;  // how many of the missed slots fire
  Overlap overlap = Overlap::allow;
  Duration jitter{0};
  std::optional<TimePoint> start_at = {};
  std::optional<TimePoint> end_at = {};         // exclusive
  std::optional<TimePoint> next_fire_at = {};   // the next slot to claim
  std::optional<TimePoint> last_claimed = {};   // the slot claimed last, fired or not
  std::optional<TimePoint> last_fired_at = {};  // the slot that fired last
  TimePoint created_at = {};
  TimePoint updated_at = {};
};

enum class FiringStatus : std::uint8_t { waiting, fired, skipped };
inline constexpr int kFiringStatusCount = 3;
[[nodiscard]] std::string_view to_string(FiringStatus status);
[[nodiscard]] std::optional<FiringStatus> firing_status_from(std::string_view name);

enum class FiringOrigin : std::uint8_t { slot, trigger, backfill };
inline constexpr int kFiringOriginCount = 3;
[[nodiscard]] std::string_view to_string(FiringOrigin origin);
[[nodiscard]] std::optional<FiringOrigin> firing_origin_from(std::string_view name);

// The last firing before another one that was not skipped: `overlap` waits for it, skips because of it or
// cancels it. It is stored by reference and with the id of what it started, since any number of skipped slots
// may follow it and its own record is erased after 30 days.
struct PreviousFiring {
  std::optional<TimePoint> slot = {};  // absent: the schedule has not fired yet
  std::string run_id = {};             // empty, like task_id, while that firing waits
  std::string task_id = {};

  bool operator==(const PreviousFiring&) const = default;
};

struct Firing {
  std::string schedule_id = {};
  std::string schedule = {};  // its name
  TimePoint slot = {};
  std::optional<TimePoint> until = {};  // of slots skipped together: the last one
  FiringOrigin origin = FiringOrigin::slot;
  FiringStatus status = FiringStatus::waiting;
  std::string reason = {};  // why it was skipped
  std::string run_id = {};  // the run that it started
  std::string task_id = {};
  TimePoint due_at = {};  // the slot plus the jitter
  TimePoint updated_at = {};
  // Only for slots. Absent: the firing was written by a version that did not store it.
  std::optional<PreviousFiring> previous = {};

  bool operator==(const Firing&) const = default;
};

// --- slots ---

// Computes the slots of a schedule, within its bounds. `cron` is the schedule's own expression; if it is
// absent, `every` counts from start_at, or from the creation of the schedule.
class Timetable {
 public:
  // The problem names the field.
  [[nodiscard]] static Result<Timetable> of(const Schedule& schedule, std::shared_ptr<const Zone> zone);

  // Strictly after; strictly before.
  [[nodiscard]] std::optional<TimePoint> next(TimePoint after) const;
  [[nodiscard]] std::optional<TimePoint> previous(TimePoint before) const;

 private:
  Timetable(const Schedule& schedule, std::shared_ptr<const Zone> zone, std::optional<Cron> cron);

  std::optional<Cron> cron_;
  std::shared_ptr<const Zone> zone_;
  Dst dst_;
  Duration every_;
  TimePoint anchor_;
  TimePoint from_;
  TimePoint until_;
};

// When slots are claimed. Slots up to `polling_since` were missed unless they are due right now: before that
// time, no node known to the claimer polled for them.
struct ClaimTimes {
  TimePoint now = {};
  TimePoint polling_since = {};

  [[nodiscard]] bool is_missed(TimePoint slot) const { return slot <= polling_since && slot < now; }
};

// The claimed slots: at most `most` slots to fire, the oldest first; the range of missed slots before them
// that `max_catchup` drops; and the slot after all of them.
struct SlotsClaimed {
  std::vector<TimePoint> fired = {};
  std::optional<TimePoint> skipped_from = {};
  std::optional<TimePoint> skipped_until = {};
  std::optional<TimePoint> next = {};
};
[[nodiscard]] SlotsClaimed claim_slots(const Schedule& schedule, const Timetable& timetable,
                                       const ClaimTimes& times, std::size_t most);

// --- records ---

[[nodiscard]] RecordRef schedule_ref(const std::string& ns, const std::string& name);
// Maps an id to its name.
[[nodiscard]] RecordRef schedule_id_ref(const std::string& ns, const std::string& id);
[[nodiscard]] RecordRef firing_ref(const std::string& ns, const std::string& schedule_id, TimePoint slot);
// The prefix of the keys of a schedule's firings.
[[nodiscard]] std::string firings_prefix(const std::string& schedule_id);
// The key of the run or task that a firing starts.
[[nodiscard]] std::string firing_key(const Firing& firing);
// The previous firing for the slot after this one. nullopt: this firing does not determine it.
[[nodiscard]] std::optional<PreviousFiring> previous_after(const Firing& firing);

[[nodiscard]] Schedule schedule_from(const RawJson& body);
[[nodiscard]] RawJson body_of(const Schedule& schedule);
// Reads the record that maps an id to a name.
[[nodiscard]] std::string schedule_name_from(const RawJson& body);
[[nodiscard]] RawJson body_of_name(const std::string& name);
[[nodiscard]] Firing firing_from(const RawJson& body);
[[nodiscard]] RawJson body_of(const Firing& firing);

}  // namespace pawl::core
