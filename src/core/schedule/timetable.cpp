// Computes the slots of a schedule, and which of them are claimed.
#include <algorithm>

#include "core/base/canary.hpp"
#include "core/schedule/schedule.hpp"

namespace pawl::core {

Timetable::Timetable(const Schedule& schedule, std::shared_ptr<const Zone> zone, std::optional<Cron> cron)
    : cron_(cron),
      zone_(std::move(zone)),
      dst_(schedule.dst),
      every_(schedule.every.value_or(Duration{0})),
      anchor_(schedule.start_at.value_or(schedule.created_at + every_)),
      from_(schedule.start_at.value_or(kTimeMin)),
      until_(schedule.end_at.value_or(kTimeMax)) {}

Result<Timetable> Timetable::of(const Schedule& schedule, std::shared_ptr<const Zone> zone) {
  if (schedule.every) return Timetable{schedule, std::move(zone), std::nullopt};
  const auto cron = Cron::parse(schedule.cron);
  if (!cron) return invalid_field("cron", cron.problem());
  return Timetable{schedule, std::move(zone), *cron};
}

std::optional<TimePoint> Timetable::next(TimePoint after) const {
  after = std::max(after, from_ - Duration{1});
  std::optional<TimePoint> slot;
  if (cron_) {
    slot = next_slot(*cron_, *zone_, dst_, after);
  } else {
    slot = after < anchor_ ? anchor_ : anchor_ + every_ * ((after - anchor_) / every_ + 1);
  }
  return slot && (*slot < until_ || planted(Canary::schedule_end_ignored)) ? slot : std::nullopt;
}

std::optional<TimePoint> Timetable::previous(TimePoint before) const {
  before = std::min(before, until_);
  std::optional<TimePoint> slot;
  if (cron_) {
    slot = previous_slot(*cron_, *zone_, dst_, before);
  } else if (before > anchor_) {
    slot = anchor_ + every_ * ((before - anchor_ - Duration{1}) / every_);
  }
  return slot && *slot >= from_ ? slot : std::nullopt;
}

SlotsClaimed claim_slots(const Schedule& schedule, const Timetable& timetable, const ClaimTimes& times,
                         std::size_t most) {
  SlotsClaimed claimed{.next = schedule.next_fire_at};
  if (!claimed.next || *claimed.next > times.now) return claimed;
  const TimePoint first = *claimed.next;
  // Goes back from the latest slot, so that slots that are too old are never visited.
  const int missed_max = schedule.max_catchup + (planted(Canary::catchup_bound_ignored) ? 3 : 0);
  int missed = 0;
  for (auto slot = timetable.previous(times.now + Duration{1}); slot && *slot >= first;
       slot = timetable.previous(*slot)) {
    if (times.is_missed(*slot) && ++missed > missed_max) {
      claimed.skipped_from = first;
      claimed.skipped_until = slot;
      break;
    }
    claimed.fired.push_back(*slot);
  }
  std::reverse(claimed.fired.begin(), claimed.fired.end());
  if (claimed.fired.size() > most) claimed.fired.resize(most);
  // A slot that the schedule no longer has (its rule was changed by hand) counts as claimed too.
  claimed.next = timetable.next(claimed.fired.empty() ? times.now : claimed.fired.back());
  return claimed;
}

}  // namespace pawl::core
