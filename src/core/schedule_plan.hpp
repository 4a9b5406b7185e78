#pragma once
// What becomes of a schedule, as data: worked out from the schedule as it was read, and kept only if it has
// not changed since. Pure: the caller knows the time, the zones and chance.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/schedule_api.hpp"

namespace pawl::core {

// By name; null for a name that is none.
using FindZone = std::function<std::shared_ptr<const Zone>(const std::string&)>;

// A schedule after a change, and the firings that the change makes. No schedule: it is gone.
struct ScheduleChange {
  std::string ns = {};
  std::optional<Schedule> before = {};
  std::int64_t version_before = 0;  // 0: there is none
  std::optional<Schedule> schedule = {};
  std::vector<Firing> firings = {};
  std::optional<AuditEntry> audit = {};
  RawJson answer = {};  // none: the schedule
};

// All that is wrong with it, by field.
[[nodiscard]] Status check_schedule(const Schedule& schedule, const FindZone& find_zone);

[[nodiscard]] Result<Schedule> new_schedule(const CreateSchedule& request, const std::string& id,
                                            const FindZone& find_zone, TimePoint now);
// Slots that passed while it was paused are firings that were skipped.
[[nodiscard]] Result<ScheduleChange> updated(const Schedule& schedule, const SchedulePatch& patch,
                                             const FindZone& find_zone, TimePoint now);
// The slots that have come. `jitter` gives each firing its own, below the schedule's; `previous` is what the
// first of them refers to, each later one refers to the one before it.
[[nodiscard]] ScheduleChange claimed(const Schedule& schedule, const Timetable& timetable, TimePoint now,
                                     const std::function<Duration(Duration)>& jitter,
                                     std::optional<PreviousFiring> previous);
[[nodiscard]] Firing firing_of(const Schedule& schedule, TimePoint slot, FiringOrigin origin, TimePoint now);

// The records that a change touches: the schedule, its id, the firings.
[[nodiscard]] std::vector<RecordRef> refs_of(const ScheduleChange& change);
// `conflict` if the schedule is not at the version it was read at. A slot that has its firing keeps it.
[[nodiscard]] Result<RecordDecision> decide_schedule(const ScheduleChange& change, FoundRecords found);

// A firing as it is to be, if it still waits. One that started something is `fired` even if another node has
// skipped it meanwhile: the next slot must find what runs.
[[nodiscard]] Result<RecordDecision> decide_firing(const Firing& firing, FoundRecords found, TimePoint now);
// Erases a firing that ended and was kept long enough. The last one of a schedule stays: the next claim reads
// from it what its firing refers to. `found` has the firing and the schedule.
[[nodiscard]] Result<RecordDecision> decide_forget(FoundRecords found, TimePoint now);

}  // namespace pawl::core
