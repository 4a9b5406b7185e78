#pragma once
// Schedules: when to start a workflow or a task, again and again. Slots are the moments a schedule names;
// each that has come is claimed, which makes it a firing, and a firing becomes at most one run or task.
//
// Always: the next slot comes from the one that was claimed, never from a clock; a slot is claimed in one
// commit with what comes after it, compared with the version of the schedule, so that of any number of nodes
// one claims it. What a firing starts carries the firing's key, so that starting it twice makes one.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/record.hpp"
#include "core/slots.hpp"
#include "core/task_spec.hpp"

namespace pawl::core {

// What to do with a slot while the one before is not done yet.
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
  int max_catchup = 100;  // missed slots that are made up for, beside the last one
  Overlap overlap = Overlap::allow;
  Duration jitter{0};
  std::optional<TimePoint> start_at = {};
  std::optional<TimePoint> end_at = {};        // excluded
  std::optional<TimePoint> next_fire_at = {};  // the slot that is claimed next
  std::optional<TimePoint> last_fire_at = {};  // the slot that was claimed last
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

// The last firing before another one that was not skipped: the one that `overlap` waits for, skips for or
// cancels. It is kept by reference, and with the id of what it started, since any number of skipped slots may
// come after it and its own record is erased after 30 days.
struct PreviousFiring {
  std::optional<TimePoint> slot = {};  // none: the schedule has not fired before
  std::string run_id = {};             // empty, as is task_id, while its firing waits
  std::string task_id = {};

  bool operator==(const PreviousFiring&) const = default;
};

struct Firing {
  std::string schedule_id = {};
  std::string schedule = {};  // its name
  TimePoint slot = {};
  std::optional<TimePoint> until = {};  // of slots that were skipped together: the last one
  FiringOrigin origin = FiringOrigin::slot;
  FiringStatus status = FiringStatus::waiting;
  std::string reason = {};  // of a skipped one
  std::string run_id = {};  // what it started
  std::string task_id = {};
  TimePoint due_at = {};  // the slot and the jitter
  TimePoint updated_at = {};
  // Of a slot. None: the firing was written by a version that did not keep it.
  std::optional<PreviousFiring> previous = {};

  bool operator==(const Firing&) const = default;
};

// --- slots ---

// The slots of a schedule, within its bounds. `cron` was parsed from the schedule's own; none: `every` counts
// from start_at, or from its making.
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
  Duration every_;
  TimePoint anchor_;
  TimePoint from_;
  TimePoint until_;
};

// What is claimed at `now`: the slots to fire, the oldest first and at most `most` of them, those that are
// too many to make up for, and what comes then.
struct SlotsClaimed {
  std::vector<TimePoint> fired = {};
  std::optional<TimePoint> skipped_from = {};
  std::optional<TimePoint> skipped_until = {};
  std::optional<TimePoint> next = {};
};
[[nodiscard]] SlotsClaimed claim_slots(const Schedule& schedule, const Timetable& timetable, TimePoint now,
                                       std::size_t most);

// --- records ---

[[nodiscard]] RecordRef schedule_ref(const std::string& ns, const std::string& name);
// Where an id leads to its name.
[[nodiscard]] RecordRef schedule_id_ref(const std::string& ns, const std::string& id);
[[nodiscard]] RecordRef firing_ref(const std::string& ns, const std::string& schedule_id, TimePoint slot);
// What the keys of its firings begin with.
[[nodiscard]] std::string firings_prefix(const std::string& schedule_id);
// The key that what a firing starts carries.
[[nodiscard]] std::string firing_key(const Firing& firing);
// What the firing of the slot after this one refers to. None: this one does not tell.
[[nodiscard]] std::optional<PreviousFiring> previous_after(const Firing& firing);

[[nodiscard]] Schedule schedule_from(const RawJson& body);
[[nodiscard]] RawJson body_of(const Schedule& schedule);
// Of the record that an id leads to.
[[nodiscard]] std::string schedule_name_from(const RawJson& body);
[[nodiscard]] RawJson body_of_name(const std::string& name);
[[nodiscard]] Firing firing_from(const RawJson& body);
[[nodiscard]] RawJson body_of(const Firing& firing);

}  // namespace pawl::core
