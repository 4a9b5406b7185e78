#pragma once
// Plans changes of schedules as data: each is computed from the schedule as it was read, and stored only if
// the schedule has not changed since. Pure: the caller provides time, zones and randomness.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/api/schedule_api.hpp"

namespace pawl::core {

// Finds a zone by its name; null if there is none.
using FindZone = std::function<std::shared_ptr<const Zone>(const std::string&)>;

// A schedule after a change, and the firings that the change creates. An absent schedule is deleted.
struct ScheduleChange {
  std::string ns = {};
  std::optional<Schedule> before = {};
  std::int64_t version_before = 0;  // 0: there was none
  std::optional<Schedule> schedule = {};
  std::vector<Firing> firings = {};
  std::optional<AuditEntry> audit = {};
  RawJson answer = {};  // empty: the schedule
};

// The problem names the field.
[[nodiscard]] Status check_schedule(const Schedule& schedule, const FindZone& find_zone);

[[nodiscard]] Result<Schedule> new_schedule(const CreateSchedule& request, const std::string& id,
                                            const FindZone& find_zone, TimePoint now);
// Slots that passed while it was paused become a skipped firing.
[[nodiscard]] Result<ScheduleChange> updated(const Schedule& schedule, const SchedulePatch& patch,
                                             const FindZone& find_zone, TimePoint now);
// Claims the slots that have come. `jitter` returns the jitter of each firing, below the schedule's;
// `previous` is the firing that the first one refers to, each later one refers to the one before it.
[[nodiscard]] ScheduleChange claimed(const Schedule& schedule, const Timetable& timetable,
                                     const ClaimTimes& times, const std::function<Duration(Duration)>& jitter,
                                     std::optional<PreviousFiring> previous);
[[nodiscard]] Firing firing_of(const Schedule& schedule, TimePoint slot, FiringOrigin origin, TimePoint now);

// The records that a change touches: the schedule, its id, the firings.
[[nodiscard]] std::vector<RecordRef> refs_of(const ScheduleChange& change);
// `conflict` if the schedule has changed since it was read. A slot that has a firing keeps it.
[[nodiscard]] Result<RecordDecision> decide_schedule(const ScheduleChange& change, FoundRecords found);

// Stores the new state of a firing that still waits. A firing that started something becomes `fired` even if
// another node has skipped it meanwhile: the next slot must find what is running. The schedule then records
// the slot in last_fired_at. `found` holds the firing and the schedule.
[[nodiscard]] Result<RecordDecision> decide_firing(const Firing& firing, FoundRecords found, TimePoint now);
// Erases an ended firing that was kept long enough. The last one of a schedule remains: the next claim reads
// from it which firing its own refers to. `found` holds the firing and the schedule.
[[nodiscard]] Result<RecordDecision> decide_forget(FoundRecords found, TimePoint now);

}  // namespace pawl::core
