// The slots of a schedule: which there are, and which of them are claimed.
#include <algorithm>

#include "core/canary.hpp"
#include "core/schedule.hpp"

namespace pawl::core {

Timetable::Timetable(const Schedule& schedule, std::shared_ptr<const Zone> zone, std::optional<Cron> cron)
    : cron_(cron),
      zone_(std::move(zone)),
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
    slot = next_slot(*cron_, *zone_, after);
  } else {
    slot = after < anchor_ ? anchor_ : anchor_ + every_ * ((after - anchor_) / every_ + 1);
  }
  return slot && (*slot < until_ || planted(Canary::schedule_end_ignored)) ? slot : std::nullopt;
}

std::optional<TimePoint> Timetable::previous(TimePoint before) const {
  before = std::min(before, until_);
  std::optional<TimePoint> slot;
  if (cron_) {
    slot = previous_slot(*cron_, *zone_, before);
  } else if (before > anchor_) {
    slot = anchor_ + every_ * ((before - anchor_ - Duration{1}) / every_);
  }
  return slot && *slot >= from_ ? slot : std::nullopt;
}

SlotsClaimed claim_slots(const Schedule& schedule, const Timetable& timetable, TimePoint now,
                         std::size_t most) {
  SlotsClaimed claimed{.next = schedule.next_fire_at};
  if (!claimed.next || *claimed.next > now) return claimed;
  const TimePoint first = *claimed.next;
  // From the last one back: what is too old is never stepped through.
  const auto wanted =
      static_cast<std::size_t>(schedule.max_catchup) + (planted(Canary::catchup_bound_ignored) ? 3 : 1);
  for (auto slot = timetable.previous(now + Duration{1}); slot && *slot >= first;
       slot = timetable.previous(*slot)) {
    if (claimed.fired.size() == wanted) {
      claimed.skipped_from = first;
      claimed.skipped_until = slot;
      break;
    }
    claimed.fired.push_back(*slot);
  }
  std::reverse(claimed.fired.begin(), claimed.fired.end());
  if (claimed.fired.size() > most) claimed.fired.resize(most);
  // A slot that the schedule does not name any more (its rule was changed by hand) counts as claimed too.
  claimed.next = timetable.next(claimed.fired.empty() ? now : claimed.fired.back());
  return claimed;
}

}  // namespace pawl::core
