#include "store/postgres/marks.hpp"

#include <algorithm>

#include "core/base/canary.hpp"
#include "store/postgres/monotonic.hpp"

namespace pawl::store::postgres {

namespace {

using std::chrono::seconds;

// How much later than its time an entry becomes visible: the usual delay, and one longer than any group takes
// to commit.
constexpr core::Duration kUsualCommit = std::chrono::milliseconds{200};
constexpr core::Duration kCommitMargin = seconds{10};
constexpr core::Duration kFarLookEvery = seconds{1};
constexpr core::Duration kFullMarksEvery = seconds{30};
constexpr int kLookShare = 50;  // far reads take at most one part in this many of the time

core::MonotonicTime next_look(core::MonotonicTime began_at, core::MonotonicTime ended_at,
                              core::Duration every) {
  return ended_at + std::max<core::Duration>(every, (ended_at - began_at) * kLookShare);
}

}  // namespace

ReadyMarks::Start ReadyMarks::start(std::int32_t lane) {
  if (staleness_ <= core::Duration{0}) return {};
  const core::MonotonicTime now = monotonic_now();
  const std::lock_guard lock{mutex_};
  LaneMark& entry = marks_[lane];
  if (now - entry.stepped_back_at >= staleness_) {
    const Position back = std::min(entry.older, entry.mark);
    entry.older = entry.newer;
    entry.newer = entry.mark;
    entry.stepped_back_at = now;
    note_lowered(entry, back);
  }
  return {.from = entry.mark, .generation = entry.generation, .is_empty = now < entry.empty_until};
}

void ReadyMarks::advance(std::int32_t lane, const Start& start, const Position& last) {
  if (staleness_ <= core::Duration{0}) return;
  const std::lock_guard lock{mutex_};
  LaneMark& entry = marks_[lane];
  if (entry.generation - start.generation > entry.lowered.size()) return;
  Position reached = last;
  for (std::uint64_t i = start.generation; i < entry.generation; ++i) {
    reached = std::min(reached, entry.lowered[i % entry.lowered.size()]);
  }
  entry.mark = std::max(entry.mark, reached);
}

void ReadyMarks::note_lowered(LaneMark& entry, const Position& first) {
  entry.mark = std::min(entry.mark, first);
  entry.lowered[entry.generation % entry.lowered.size()] = first;
  ++entry.generation;
}

void ReadyMarks::note_empty(std::int32_t lane, const Start& start) {
  if (staleness_ <= core::Duration{0}) return;
  const core::MonotonicTime now = monotonic_now();
  const std::lock_guard lock{mutex_};
  LaneMark& entry = marks_[lane];
  if (entry.generation == start.generation || core::planted(core::Canary::empty_lane_believed))
    entry.empty_until = now + staleness_;
}

void ReadyMarks::lower(std::int32_t lane, const Position& first) {
  if (staleness_ <= core::Duration{0}) return;
  const std::lock_guard lock{mutex_};
  LaneMark& entry = marks_[lane];
  if (core::planted(core::Canary::ready_mark_not_lowered)) return;
  entry.empty_until = {};
  note_lowered(entry, first);
  entry.newer = std::min(entry.newer, first);
  entry.older = std::min(entry.older, first);
}

bool ReadyMarks::is_empty(std::int32_t lane) const {
  const core::MonotonicTime now = monotonic_now();
  const std::lock_guard lock{mutex_};
  const auto found = marks_.find(lane);
  return found != marks_.end() && now < found->second.empty_until;
}

Position ReadyMarks::mark_of(std::int32_t lane) const {
  const std::lock_guard lock{mutex_};
  const auto found = marks_.find(lane);
  return found == marks_.end() ? Position{} : std::min(found->second.mark, found->second.older);
}

std::vector<std::int32_t> ReadyMarks::lanes() const {
  const std::lock_guard lock{mutex_};
  std::vector<std::int32_t> lanes;
  for (const auto& [lane, mark] : marks_) lanes.push_back(lane);
  return lanes;
}

DueMark::Look DueMark::begin(core::TimePoint now) {
  Look look{.began_at = monotonic_now()};
  const std::lock_guard lock{mutex_};
  const bool is_stepped_back = now < last_now_ && !core::planted(core::Canary::due_mark_ignores_the_clock);
  last_now_ = now;
  if (!is_on_ || is_stepped_back || look.began_at >= next_full_at_) return look;
  look.reach = look.began_at >= next_far_at_ ? Reach::far : Reach::usual;
  look.from = look.reach == Reach::far ? std::min(mark_, now - kCommitMargin) : mark_;
  return look;
}

void DueMark::end(const Look& look, core::TimePoint now, std::optional<core::TimePoint> first) {
  const core::MonotonicTime ended_at = monotonic_now();
  const std::lock_guard lock{mutex_};
  mark_ = std::min(first.value_or(now), now - kUsualCommit);
  if (look.reach != Reach::usual) next_far_at_ = next_look(look.began_at, ended_at, kFarLookEvery);
  if (look.reach == Reach::all) next_full_at_ = next_look(look.began_at, ended_at, kFullMarksEvery);
}

void ReadyMarks::forget() {
  const std::lock_guard lock{mutex_};
  marks_.clear();
}

void DueMark::forget() {
  const std::lock_guard lock{mutex_};
  mark_ = core::TimePoint::min();
  last_now_ = core::TimePoint::min();
  next_far_at_ = {};
  next_full_at_ = {};
}

void CountsMark::begin_life(std::uint64_t life) {
  const std::lock_guard lock{mutex_};
  life_ = life;
  mark_ = 0;
  candidate_.reset();
}

void CountsMark::update(const Seen& seen, std::uint64_t life) {
  const std::lock_guard lock{mutex_};
  if (life != life_) return;
  const bool has_gone_back = seen.last < mark_ || (candidate_ && seen.last < candidate_->last);
  if (has_gone_back) mark_ = 0;  // a failover that lost the end, or a restored backup
  const bool all_ended = candidate_ && !has_gone_back &&
                         (seen.oldest_transaction >= candidate_->next_transaction ||
                          core::planted(core::Canary::counts_mark_passes_open_transactions));
  if (all_ended) mark_ = std::min(seen.first.value_or(candidate_->last + 1), candidate_->last + 1);
  if (all_ended || has_gone_back || !candidate_) candidate_ = {seen.last, seen.next_transaction};
}

}  // namespace pawl::store::postgres
