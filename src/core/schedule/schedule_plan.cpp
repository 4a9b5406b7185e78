#include "core/schedule/schedule_plan.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/task/command.hpp"

namespace pawl::core {

namespace {

// One page of a long catch-up: the next claim continues it.
constexpr std::size_t kClaimedMost = 100;
constexpr Duration kJitterMax = std::chrono::hours{24};
// How long an ended firing is kept.
constexpr Duration kFiringKept = std::chrono::hours{24 * 30};

// Requires exactly one of the two.
Status one_of(std::string_view one, bool has_one, std::string_view other, bool has_other) {
  if (has_one == has_other)
    return invalid_field(std::string{one}, fmt::format("exactly one of {} and {} is needed", one, other));
  return Done{};
}

Status check_bounds(const Schedule& schedule) {
  if (schedule.start_at && schedule.end_at && *schedule.end_at <= *schedule.start_at)
    return invalid_field("end_at", "must be after start_at");
  if (schedule.max_catchup < 0 || schedule.max_catchup > kCatchupMax)
    return invalid_field("max_catchup",
                         fmt::format("must be from 0 to {}, not {}", kCatchupMax, schedule.max_catchup));
  return check_duration("jitter", schedule.jitter, Duration{0}, kJitterMax);
}

Status check_task(const TaskSpec& task) {
  Command command = EnqueueTasks{.tasks = {task}};
  const Status valid = check(command);
  if (valid) return valid;
  Problem problem = valid.problem();
  for (FieldError& error : problem.errors) error.field = "task." + error.field;
  return problem;
}

Status check_target(const Schedule& schedule) {
  if (schedule.task) return check_task(*schedule.task);
  return first_of({check_name("workflow", schedule.workflow),
                   schedule.input.empty() ? Status{Done{}} : check_json("input", schedule.input),
                   schedule.queue ? check_name("queue", *schedule.queue) : Status{Done{}}});
}

Firing skipped(const Schedule& schedule, TimePoint from, TimePoint until, std::string reason, TimePoint now) {
  Firing firing = firing_of(schedule, from, FiringOrigin::slot, now);
  firing.status = FiringStatus::skipped;
  firing.reason = std::move(reason);
  if (until > from) firing.until = until;
  return firing;
}

void apply(const SchedulePatch& patch, Schedule& schedule) {
  if (patch.cron) {
    schedule.cron = *patch.cron;
    if (!patch.every) schedule.every = std::nullopt;
  }
  if (patch.every) {
    schedule.every = *patch.every;
    if (!patch.cron) schedule.cron.clear();
  }
  if (patch.workflow) {
    schedule.workflow = *patch.workflow;
    if (!patch.task) schedule.task = std::nullopt;
  }
  if (patch.task) {
    schedule.task = *patch.task;
    if (!patch.workflow) schedule.workflow.clear();
  }
  if (patch.timezone) schedule.timezone = *patch.timezone;
  if (patch.input) schedule.input = *patch.input;
  if (patch.queue) schedule.queue = *patch.queue;
  if (patch.enabled) schedule.enabled = *patch.enabled;
  if (patch.dst_gap) schedule.dst.gap = *patch.dst_gap;
  if (patch.dst_fold) schedule.dst.fold = *patch.dst_fold;
  if (patch.max_catchup) schedule.max_catchup = *patch.max_catchup;
  if (patch.overlap) schedule.overlap = *patch.overlap;
  if (patch.jitter) schedule.jitter = *patch.jitter;
  if (patch.start_at) schedule.start_at = *patch.start_at;
  if (patch.end_at) schedule.end_at = *patch.end_at;
}

bool is_retimed(const SchedulePatch& patch) {
  return patch.cron || patch.every || patch.timezone || patch.dst_gap || patch.dst_fold || patch.start_at ||
         patch.end_at;
}

std::string reason_of_missed(const Schedule& schedule) {
  if (schedule.max_catchup == 0) return "missed, and max_catchup is 0";
  return fmt::format("more than {} slots were missed", schedule.max_catchup);
}

RecordChange change_of(const std::string& ns, const Firing& firing) {
  return {
      .ref = firing_ref(ns, firing.schedule_id, firing.slot),
      .body = body_of(firing),
      .expires_at = firing.status == FiringStatus::waiting ? firing.due_at : firing.updated_at + kFiringKept};
}

// The schedule with a fired slot as its last one. A trigger or a backfill is not a slot of the schedule.
std::optional<RecordChange> named_as_fired(const Firing& firing, FoundRecords found) {
  const bool has_fired = firing.status == FiringStatus::fired && firing.origin == FiringOrigin::slot;
  if (!has_fired || !found[1]) return std::nullopt;
  const Record& record = *found[1];
  Schedule schedule = schedule_from(record.body);
  if (schedule.id != firing.schedule_id || schedule.last_fired_at >= firing.slot) return std::nullopt;
  schedule.last_fired_at = firing.slot;
  return RecordChange{.ref = record.ref, .body = body_of(schedule), .expires_at = record.expires_at};
}

}  // namespace

Status check_schedule(const Schedule& schedule, const FindZone& find_zone) {
  auto zone = find_zone(schedule.timezone);
  if (zone == nullptr)
    return invalid_field("timezone", fmt::format("there is no time zone \"{}\"", schedule.timezone));
  const Status valid = first_of(
      {check_name("name", schedule.name),
       one_of("cron", !schedule.cron.empty(), "every", schedule.every.has_value()),
       one_of("workflow", !schedule.workflow.empty(), "task", schedule.task.has_value()),
       schedule.every ? check_duration("every", *schedule.every, kEveryMin, kDurationMax) : Status{Done{}},
       check_bounds(schedule)});
  if (!valid) return valid;
  if (const auto timetable = Timetable::of(schedule, std::move(zone)); !timetable) return timetable.problem();
  return check_target(schedule);
}

Result<Schedule> new_schedule(const CreateSchedule& request, const std::string& id, const FindZone& find_zone,
                              TimePoint now) {
  if (const Status valid =
          first_of({check_namespace(request.ns), check_schedule(request.schedule, find_zone)});
      !valid)
    return valid.problem();
  Schedule schedule = request.schedule;
  schedule.id = id;
  schedule.created_at = now;
  schedule.updated_at = now;
  schedule.next_fire_at = Timetable::of(schedule, find_zone(schedule.timezone))->next(now);
  return schedule;
}

Result<ScheduleChange> updated(const Schedule& schedule, const SchedulePatch& patch,
                               const FindZone& find_zone, TimePoint now) {
  Schedule after = schedule;
  apply(patch, after);
  if (const Status valid = check_schedule(after, find_zone); !valid) return valid.problem();
  after.updated_at = now;
  const auto timetable = Timetable::of(after, find_zone(after.timezone));
  ScheduleChange change{.before = schedule};
  const bool is_resumed = after.enabled && !schedule.enabled;
  if (is_resumed && after.next_fire_at && *after.next_fire_at <= now) {
    const TimePoint last = timetable->previous(now + Duration{1}).value_or(*after.next_fire_at);
    change.firings.push_back(
        skipped(after, *after.next_fire_at, std::max(last, *after.next_fire_at), "it was paused", now));
  }
  if ((is_resumed && !planted(Canary::paused_slots_made_up)) || is_retimed(patch))
    after.next_fire_at = timetable->next(now);
  change.schedule = std::move(after);
  return change;
}

ScheduleChange claimed(const Schedule& schedule, const Timetable& timetable, const ClaimTimes& times,
                       const std::function<Duration(Duration)>& jitter,
                       std::optional<PreviousFiring> previous) {
  const SlotsClaimed slots = claim_slots(schedule, timetable, times, kClaimedMost);
  Schedule after = schedule;
  ScheduleChange change{.before = schedule};
  if (slots.skipped_from)
    change.firings.push_back(
        skipped(schedule, *slots.skipped_from, *slots.skipped_until, reason_of_missed(schedule), times.now));
  for (const TimePoint slot : slots.fired) {
    Firing firing = firing_of(schedule, slot, FiringOrigin::slot, times.now);
    if (schedule.jitter > Duration{0}) firing.due_at = slot + jitter(schedule.jitter);
    firing.previous = std::exchange(previous, PreviousFiring{.slot = slot});
    change.firings.push_back(std::move(firing));
  }
  if (!slots.fired.empty()) after.last_claimed = slots.fired.back();
  after.next_fire_at = slots.next;
  change.schedule = std::move(after);
  return change;
}

Firing firing_of(const Schedule& schedule, TimePoint slot, FiringOrigin origin, TimePoint now) {
  return {.schedule_id = schedule.id,
          .schedule = schedule.name,
          .slot = slot,
          .origin = origin,
          .due_at = slot,
          .updated_at = now};
}

std::vector<RecordRef> refs_of(const ScheduleChange& change) {
  const Schedule& schedule = change.schedule ? *change.schedule : *change.before;
  std::vector<RecordRef> refs{schedule_ref(change.ns, schedule.name),
                              schedule_id_ref(change.ns, schedule.id)};
  for (const Firing& firing : change.firings)
    refs.push_back(firing_ref(change.ns, firing.schedule_id, firing.slot));
  return refs;
}

Result<RecordDecision> decide_schedule(const ScheduleChange& change, FoundRecords found) {
  const std::int64_t version = found[0] ? found[0]->version : 0;
  if (version != change.version_before && !planted(Canary::slot_claimed_twice)) {
    const Schedule& schedule = change.schedule ? *change.schedule : *change.before;
    return Problem{.code = ProblemCode::conflict,
                   .detail = change.version_before == 0
                                 ? fmt::format("there is a schedule {} already", schedule.name)
                                 : fmt::format("the schedule {} has changed meanwhile", schedule.name)};
  }
  RecordDecision decision{.answer = change.answer};
  if (decision.answer.empty()) decision.answer = change.schedule ? body_of(*change.schedule) : RawJson{"{}"};
  if (change.audit) decision.audit.push_back(*change.audit);
  const auto refs = refs_of(change);
  if (change.schedule) {
    const bool is_due_later = change.schedule->enabled && change.schedule->next_fire_at;
    decision.changes.push_back({.ref = refs[0],
                                .body = body_of(*change.schedule),
                                .expires_at = is_due_later ? change.schedule->next_fire_at : std::nullopt});
    if (!found[1]) decision.changes.push_back({.ref = refs[1], .body = body_of_name(change.schedule->name)});
  } else {
    decision.changes.push_back({.ref = refs[0]});
    decision.changes.push_back({.ref = refs[1]});
  }
  for (std::size_t i = 0; i < change.firings.size(); ++i)
    if (!found[i + 2]) decision.changes.push_back(change_of(change.ns, change.firings[i]));
  return decision;
}

Result<RecordDecision> decide_firing(const Firing& firing, FoundRecords found, TimePoint now) {
  const auto before = found[0] ? firing_from(found[0]->body).status : FiringStatus::fired;
  const bool is_late_start = before == FiringStatus::skipped && firing.status == FiringStatus::fired;
  if (before != FiringStatus::waiting && !is_late_start && !(found[0] && planted(Canary::firing_ended_twice)))
    return RecordDecision{.answer = {"{}"}};
  Firing after = firing;
  after.updated_at = now;
  RecordDecision decision{.answer = body_of(after)};
  RecordChange kept = change_of(found[0]->ref.ns, after);
  kept.ref = found[0]->ref;
  decision.changes.push_back(std::move(kept));
  if (auto named = named_as_fired(after, found)) decision.changes.push_back(std::move(*named));
  return decision;
}

Result<RecordDecision> decide_forget(FoundRecords found, TimePoint now) {
  RecordDecision decision{.answer = {"{}"}};
  if (!found[0] || !found[0]->expires_at || *found[0]->expires_at > now) return decision;
  const Firing firing = firing_from(found[0]->body);
  if (firing.status == FiringStatus::waiting) return decision;
  RecordChange change{.ref = found[0]->ref};
  const auto schedule = found[1] ? std::optional{schedule_from(found[1]->body)} : std::nullopt;
  if (schedule && schedule->id == firing.schedule_id && schedule->last_claimed == firing.slot) {
    change.body = found[0]->body;
    change.expires_at = now + kFiringKept;
  }
  decision.changes.push_back(std::move(change));
  return decision;
}

}  // namespace pawl::core
