#include "runtime/local_schedule_api.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/zones.hpp"

namespace pawl::runtime {

using core::Result;

namespace {

// Firings per commit; a long backfill takes many commits.
constexpr std::size_t kFiringsInCommit = 500;

core::Problem no_such_schedule(const std::string& name) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no schedule " + name};
}

Result<core::Timetable> timetable_of(const core::Schedule& schedule) {
  auto zone = find_zone(schedule.timezone);
  if (zone == nullptr)
    return core::Problem{.code = core::ProblemCode::internal,
                         .detail = "this machine has no time zone " + schedule.timezone};
  return core::Timetable::of(schedule, std::move(zone));
}

}  // namespace

Result<LocalScheduleApi::ScheduleNow> LocalScheduleApi::read_schedule(const core::ScheduleRef& ref) {
  auto found = records_.find(core::schedule_ref(ref.ns, ref.name_or_id));
  if (!found) return found.problem();
  if (!found->record) {
    const auto named = records_.find(core::schedule_id_ref(ref.ns, ref.name_or_id));
    if (!named) return named.problem();
    if (!named->record) return no_such_schedule(ref.name_or_id);
    found = records_.find(core::schedule_ref(ref.ns, core::schedule_name_from(named->record->body)));
    if (!found) return found.problem();
    if (!found->record) return no_such_schedule(ref.name_or_id);
  }
  return ScheduleNow{.schedule = core::schedule_from(found->record->body),
                     .version = found->record->version,
                     .now = found->now};
}

Result<core::RawJson> LocalScheduleApi::keep_schedule(core::ScheduleChange kept) {
  const auto refs = core::refs_of(kept);
  auto answer = records_.change(
      {.refs = refs, .decide = [kept = std::move(kept)](core::FoundRecords found, core::TimePoint) {
         return core::decide_schedule(kept, found);
       }});
  if (!answer) return answer.problem();
  return std::move(answer->body);
}

Result<core::RawJson> LocalScheduleApi::change_schedule(
    const core::ScheduleRef& ref, const core::AuditEntry& audit,
    const std::function<Result<core::ScheduleChange>(const ScheduleNow&)>& plan) {
  while (true) {
    const auto seen = read_schedule(ref);
    if (!seen) return seen.problem();
    auto planned = plan(*seen);
    if (!planned) return planned.problem();
    planned->ns = ref.ns;
    planned->before = seen->schedule;
    planned->version_before = seen->version;
    planned->audit = audit;
    planned->audit->object = seen->schedule.name;
    auto answer = keep_schedule(std::move(*planned));
    if (answer || answer.problem().code != core::ProblemCode::conflict) return answer;
  }
}

Result<core::Schedule> LocalScheduleApi::create_schedule(const core::CreateSchedule& request) {
  const auto seen = records_.find(core::schedule_ref(request.ns, request.schedule.name));
  if (!seen) return seen.problem();
  auto schedule = core::new_schedule(request, to_string(ids_.next(seen->now)), find_zone, seen->now);
  if (!schedule) return schedule.problem();
  auto audit = core::audit_of(request.by, request.ns, "schedule.create", schedule->name);
  const auto answer =
      keep_schedule({.ns = request.ns, .schedule = std::move(*schedule), .audit = std::move(audit)});
  if (!answer) return answer.problem();
  return core::schedule_from(*answer);
}

Result<core::Schedule> LocalScheduleApi::get_schedule(const core::ScheduleRef& ref) {
  auto seen = read_schedule(ref);
  if (!seen) return seen.problem();
  return std::move(seen->schedule);
}

Result<core::Page<core::Schedule>> LocalScheduleApi::list_schedules(const core::ListRecords& list) {
  const auto found = records_.list(core::RecordKind::schedule, list.ns, list);
  if (!found) return found.problem();
  core::Page<core::Schedule> page{.next_cursor = found->next_cursor};
  for (const core::Record& record : found->records) page.items.push_back(core::schedule_from(record.body));
  return page;
}

Result<core::Schedule> LocalScheduleApi::update_schedule(const core::UpdateSchedule& request) {
  const auto answer =
      change_schedule(request.ref, core::audit_of(request.by, request.ref.ns, request.action, ""),
                      [&](const ScheduleNow& seen) {
                        return core::updated(seen.schedule, request.patch, find_zone, seen.now);
                      });
  if (!answer) return answer.problem();
  return core::schedule_from(*answer);
}

Result<core::Done> LocalScheduleApi::delete_schedule(const core::DeleteSchedule& request) {
  const auto answer = change_schedule(
      request.ref, core::audit_of(request.by, request.ref.ns, "schedule.delete", ""),
      [](const ScheduleNow&) { return Result<core::ScheduleChange>{core::ScheduleChange{}}; });
  if (!answer) return answer.problem();
  return core::Done{};
}

Result<core::Firing> LocalScheduleApi::trigger_schedule(const core::TriggerSchedule& request) {
  const auto answer = change_schedule(
      request.ref, core::audit_of(request.by, request.ref.ns, "schedule.trigger", ""),
      [](const ScheduleNow& seen) -> Result<core::ScheduleChange> {
        auto firing = core::firing_of(seen.schedule, seen.now, core::FiringOrigin::trigger, seen.now);
        core::ScheduleChange change{.schedule = seen.schedule, .answer = core::body_of(firing)};
        change.firings.push_back(std::move(firing));
        return change;
      });
  if (!answer) return answer.problem();
  return core::firing_from(*answer);
}

Result<std::vector<core::Firing>> LocalScheduleApi::backfill_schedule(const core::BackfillSchedule& request) {
  if (request.to <= request.from) return core::invalid_field("to", "must be after from");
  const auto seen = read_schedule(request.ref);
  if (!seen) return seen.problem();
  if (request.to > seen->now) return core::invalid_field("to", "must not be in the future");
  const auto timetable = timetable_of(seen->schedule);
  if (!timetable) return timetable.problem();
  std::vector<core::Firing> firings;
  for (auto slot = timetable->next(request.from - core::Duration{1}); slot && *slot < request.to;
       slot = timetable->next(*slot)) {
    if (std::ssize(firings) == core::kBackfillMax)
      return core::invalid_field("to",
                                 fmt::format("there are more than {} slots before it", core::kBackfillMax));
    firings.push_back(core::firing_of(seen->schedule, *slot, core::FiringOrigin::backfill, seen->now));
  }
  if (request.dry_run) return firings;
  const auto audit = core::audit_of(request.by, request.ref.ns, "schedule.backfill", "");
  for (std::size_t begin = 0; begin < firings.size(); begin += kFiringsInCommit) {
    const std::size_t end = std::min(firings.size(), begin + kFiringsInCommit);
    const auto kept =
        change_schedule(request.ref, audit, [&](const ScheduleNow& now) -> Result<core::ScheduleChange> {
          return core::ScheduleChange{.schedule = now.schedule,
                                      .firings = {firings.begin() + static_cast<std::ptrdiff_t>(begin),
                                                  firings.begin() + static_cast<std::ptrdiff_t>(end)}};
        });
    if (!kept) return kept.problem();
  }
  return firings;
}

Result<core::Page<core::Firing>> LocalScheduleApi::list_firings(const core::ListFirings& list) {
  const auto seen = read_schedule(list.ref);
  if (!seen) return seen.problem();
  const std::string prefix = core::firings_prefix(seen->schedule.id);
  core::ListRecords records{.ns = list.ref.ns, .limit = list.limit, .cursor = list.cursor};
  if (records.cursor.empty()) records.cursor = "k" + prefix;
  if (!records.cursor.starts_with("k" + prefix))
    return core::invalid_field("cursor", "is not one that this server gave");
  const auto found = records_.list(core::RecordKind::firing, list.ref.ns, records);
  if (!found) return found.problem();
  core::Page<core::Firing> page{.next_cursor = found->next_cursor};
  for (const core::Record& record : found->records) {
    if (!record.ref.key.starts_with(prefix)) {  // it belongs to the next schedule
      page.next_cursor = std::nullopt;
      break;
    }
    page.items.push_back(core::firing_from(record.body));
  }
  return page;
}

Result<std::vector<core::TimePoint>> LocalScheduleApi::next_times(const core::ScheduleRef& ref, int count) {
  if (count < 1 || count > core::kNextTimesMax)
    return core::invalid_field("count",
                               fmt::format("must be from 1 to {}, not {}", core::kNextTimesMax, count));
  const auto seen = read_schedule(ref);
  if (!seen) return seen.problem();
  const auto timetable = timetable_of(seen->schedule);
  if (!timetable) return timetable.problem();
  std::vector<core::TimePoint> times;
  for (auto time = timetable->next(seen->now); time && std::ssize(times) < count;
       time = timetable->next(*time))
    times.push_back(*time);
  return times;
}

Result<core::RawJson> LocalScheduleApi::keep_firing(const std::string& ns, const core::Firing& firing) {
  auto answer = records_.change({.refs = {core::firing_ref(ns, firing.schedule_id, firing.slot),
                                          core::schedule_ref(ns, firing.schedule)},
                                 .decide = [firing](core::FoundRecords found, core::TimePoint now) {
                                   return core::decide_firing(firing, found, now);
                                 }});
  if (!answer) return answer.problem();
  return std::move(answer->body);
}

Result<core::RawJson> LocalScheduleApi::forget_firing(const std::string& ns, const core::Firing& firing) {
  auto answer = records_.change({.refs = {core::firing_ref(ns, firing.schedule_id, firing.slot),
                                          core::schedule_ref(ns, firing.schedule)},
                                 .decide = core::decide_forget});
  if (!answer) return answer.problem();
  return std::move(answer->body);
}

}  // namespace pawl::runtime
