#include "runtime/scheduler.hpp"

#include <utility>

#include "core/base/canary.hpp"
#include "runtime/guarded.hpp"
#include "runtime/zones.hpp"

namespace pawl::runtime {

using core::Result;

namespace {

constexpr std::size_t kSlotsPage = 100;
constexpr std::size_t kFiringsPage = 500;

// How long to defer a firing that waits for the previous one: if that one runs, and if it waits itself.
constexpr core::Duration kPutOff = std::chrono::seconds{1};
constexpr core::Duration kPutOffBehind = std::chrono::seconds{5};

// A node that did not poll for this long has paused: slots of that time were missed.
constexpr core::Duration kPauseMin = std::chrono::seconds{10};
// Another node may be about to claim a slot from before this node polled. It knows that the slot was not
// missed.
constexpr core::Duration kLeftToOthers = std::chrono::seconds{1};

core::Actor actor_of(const core::Schedule& schedule) { return {.id = schedule.name, .role = "schedule"}; }

std::optional<core::Uuid> id_of(const std::string& text) { return core::parse_uuid(text); }

bool has_not_started(const core::PreviousFiring& previous) {
  return previous.run_id.empty() && previous.task_id.empty();
}

}  // namespace

int Scheduler::poll() { return claim_due() + fire_due(); }

void Scheduler::note_poll(core::TimePoint now) {
  if (!polled_at_ || now - *polled_at_ > kPauseMin) polling_since_ = now;
  polled_at_ = now;
}

int Scheduler::claim_due() {
  const auto now = guarded([&]() -> Result<core::TimePoint> { return store_.now(); });
  if (!now) return 0;
  note_poll(*now);
  const auto due = guarded([&]() -> Result<std::vector<core::Record>> {
    return store_.due_records(core::RecordKind::schedule, kSlotsPage);
  });
  if (!due) return 0;
  int claimed = 0;
  for (const core::Record& record : *due) claimed += claim(record) ? 1 : 0;
  return claimed;
}

bool Scheduler::claim(const core::Record& record) {
  const core::Schedule schedule = core::schedule_from(record.body);
  auto zone = find_zone(schedule.timezone);
  if (zone == nullptr) return false;  // another node may have the zone
  const auto timetable = core::Timetable::of(schedule, std::move(zone));
  if (!timetable) return false;
  const auto now = guarded([&]() -> Result<core::TimePoint> { return store_.now(); });
  if (!now) return false;
  note_poll(*now);
  const core::ClaimTimes times{.now = *now, .polling_since = polling_since_};
  if (schedule.next_fire_at && times.is_missed(*schedule.next_fire_at) &&
      *now - *schedule.next_fire_at < kLeftToOthers)
    return false;
  const auto jitter = [this](core::Duration most) {
    return core::Duration{
        static_cast<std::int64_t>(random_.next() % static_cast<std::uint64_t>(most.count()))};
  };
  const auto previous = last_claimed(record.ref.ns, schedule);
  if (!previous) return false;
  core::ScheduleChange change = core::claimed(schedule, *timetable, times, jitter, *previous);
  change.ns = record.ref.ns;
  change.version_before = record.version;
  return api_.keep_schedule(std::move(change)).ok();
}

int Scheduler::fire_due() {
  const auto due = guarded([&]() -> Result<std::vector<core::Record>> {
    return store_.due_records(core::RecordKind::firing, kSlotsPage);
  });
  if (!due) return 0;
  int ended = 0;
  for (const core::Record& record : *due) {
    core::Firing firing = core::firing_from(record.body);
    const bool has_ended = firing.status != core::FiringStatus::waiting;
    const bool is_done =
        has_ended ? api_.forget_firing(record.ref.ns, firing).ok() : fire(record.ref.ns, std::move(firing));
    ended += is_done ? 1 : 0;
  }
  return ended;
}

bool Scheduler::fire(const std::string& ns, core::Firing firing) {
  const auto schedule = api_.get_schedule({.ns = ns, .name_or_id = firing.schedule});
  if (!schedule || schedule->id != firing.schedule_id) {
    if (!schedule && schedule.problem().code != core::ProblemCode::not_found) return false;
    return skip(ns, std::move(firing), "the schedule was deleted");
  }
  // Triggers and backfills do not wait for earlier firings.
  if (firing.origin == core::FiringOrigin::slot && schedule->overlap != core::Overlap::allow) {
    auto previous = find_previous(ns, firing);
    if (!previous) return false;
    const auto open = is_open(ns, *previous);
    if (!open) return false;
    firing.previous = std::move(*previous);
    if (*open && !core::planted(core::Canary::overlap_not_followed)) {
      if (schedule->overlap == core::Overlap::skip && !core::planted(core::Canary::overlap_skip_ignored))
        return skip(ns, std::move(firing), "the previous firing's run or task has not ended");
      const bool is_behind = has_not_started(*firing.previous);
      if (schedule->overlap == core::Overlap::queue || is_behind)
        return postpone(ns, std::move(firing), is_behind ? kPutOffBehind : kPutOff);
      if (!stop(ns, *schedule, *firing.previous)) return false;
    }
  }
  auto started = start(ns, *schedule, firing);
  if (!started) {
    if (is_passing(started.problem().code)) return false;
    return skip(ns, std::move(firing), started.problem().detail);
  }
  return api_.keep_firing(ns, *started).ok();
}

bool Scheduler::skip(const std::string& ns, core::Firing firing, std::string reason) {
  firing.status = core::FiringStatus::skipped;
  firing.reason = std::move(reason);
  return api_.keep_firing(ns, firing).ok();
}

bool Scheduler::postpone(const std::string& ns, core::Firing firing, core::Duration time) {
  const auto now = guarded([&]() -> Result<core::TimePoint> { return store_.now(); });
  if (!now) return false;
  firing.due_at = *now + time;
  (void)api_.keep_firing(ns, firing);
  return false;
}

Result<std::optional<core::PreviousFiring>> Scheduler::last_claimed(const std::string& ns,
                                                                    const core::Schedule& schedule) {
  if (!schedule.last_claimed) return std::optional{core::PreviousFiring{}};
  const auto last = find_firing(ns, schedule.id, *schedule.last_claimed);
  if (!last) return last.problem();
  return *last ? core::previous_after(**last) : std::nullopt;
}

Result<std::optional<core::Firing>> Scheduler::find_firing(const std::string& ns,
                                                           const std::string& schedule_id,
                                                           core::TimePoint slot) {
  return guarded([&]() -> Result<std::optional<core::Firing>> {
    const auto record = store_.find_record(core::firing_ref(ns, schedule_id, slot));
    return record ? std::optional{core::firing_from(record->body)} : std::nullopt;
  });
}

// A skipped firing stores the reference that was found for it, so that there are few firings to follow.
Result<core::PreviousFiring> Scheduler::find_previous(const std::string& ns, core::Firing firing) {
  while (true) {
    std::optional<core::PreviousFiring> previous = firing.previous;
    if (!previous) {
      const auto searched = search_previous(ns, firing);
      if (!searched) return searched.problem();
      previous = *searched;
    }
    if (!previous->slot || !has_not_started(*previous)) return *previous;
    const auto found = find_firing(ns, firing.schedule_id, *previous->slot);
    if (!found) return found.problem();
    if (!*found) return core::PreviousFiring{};  // it ended long ago
    firing = **found;
    const bool is_skipped = firing.status == core::FiringStatus::skipped;
    if (firing.origin == core::FiringOrigin::slot && !is_skipped) return *core::previous_after(firing);
  }
}

Result<core::PreviousFiring> Scheduler::search_previous(const std::string& ns, const core::Firing& firing) {
  std::string after = core::firing_ref(ns, firing.schedule_id, firing.slot).key;
  while (true) {
    const auto page = guarded([&]() -> Result<std::vector<core::Record>> {
      return store_.list_records(
          {.kind = core::RecordKind::firing, .ns = ns, .after_key = after, .limit = kFiringsPage});
    });
    if (!page) return page.problem();
    for (const core::Record& record : *page) {
      if (!record.ref.key.starts_with(core::firings_prefix(firing.schedule_id)))
        return core::PreviousFiring{};
      if (auto previous = core::previous_after(core::firing_from(record.body))) return *previous;
    }
    if (page->size() < kFiringsPage) return core::PreviousFiring{};
    after = page->back().ref.key;
  }
}

Result<bool> Scheduler::is_open(const std::string& ns, const core::PreviousFiring& previous) {
  if (!previous.slot) return false;
  if (const auto run = id_of(previous.run_id)) {
    const auto found = api_.get_run({.ns = ns, .id = core::RunId{*run}});
    if (found) return !core::is_closed(found->state);
    if (found.problem().code == core::ProblemCode::not_found) return false;
    return found.problem();
  }
  if (const auto task = id_of(previous.task_id)) {
    const auto found = api_.get_task(ns, core::TaskId{*task});
    if (found) return !core::is_terminal(found->task.status);
    if (found.problem().code == core::ProblemCode::not_found) return false;
    return found.problem();
  }
  return true;  // its firing waits
}

core::Status Scheduler::stop(const std::string& ns, const core::Schedule& schedule,
                             const core::PreviousFiring& previous) {
  core::Status done{core::Done{}};
  if (const auto run = id_of(previous.run_id)) {
    const auto stopped = api_.act_on_run(
        {.run = {.ns = ns, .id = core::RunId{*run}},
         .asked = {.action = core::RunAction::cancel, .reason = "the next slot of its schedule is due"},
         .by = actor_of(schedule)});
    if (!stopped) done = stopped.problem();
  } else if (const auto task = id_of(previous.task_id)) {
    const auto stopped = api_.cancel_task({.ns = ns, .id = core::TaskId{*task}, .by = actor_of(schedule)});
    if (!stopped) done = stopped.problem();
  }
  const bool is_over = !done && !is_passing(done.problem().code);  // it ended in the meantime
  return is_over ? core::Status{core::Done{}} : done;
}

Result<core::Firing> Scheduler::start(const std::string& ns, const core::Schedule& schedule,
                                      core::Firing firing) {
  firing.status = core::FiringStatus::fired;
  if (schedule.task) {
    core::TaskSpec spec = *schedule.task;
    spec.idempotency_key = core::firing_key(firing);
    spec.labels["schedule"] = schedule.name;
    if (spec.payload.empty()) spec.payload = schedule.input;
    if (schedule.queue && !spec.has_queue()) {
      spec.queue = *schedule.queue;
      spec.given.queue = true;
    }
    const auto made = api_.enqueue(ns, std::move(spec));
    if (!made) return made.problem();
    firing.task_id = to_string(made->task.id);
    return firing;
  }
  const auto made = api_.start_run({.ns = ns,
                                    .workflow = schedule.workflow,
                                    .run_key = core::firing_key(firing),
                                    .input = schedule.input,
                                    .queue = schedule.queue,
                                    .labels = {{"schedule", schedule.name}},
                                    .by = actor_of(schedule)});
  if (!made) return made.problem();
  firing.run_id = to_string(made->run.facts.id);
  return firing;
}

}  // namespace pawl::runtime
