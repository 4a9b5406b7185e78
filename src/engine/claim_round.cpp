#include "engine/claim_round.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/base/canary.hpp"
#include "core/queue/fairness.hpp"
#include "core/queue/queue.hpp"
#include "core/task/type_pattern.hpp"
#include "engine/fair_take.hpp"

namespace pawl::engine {

using store::LaneShare;
using store::QueueRef;

namespace {

bool is_claimed_before(const WorkingTask* a, const WorkingTask* b) {
  if (a->record.lane != b->record.lane) {
    const std::int64_t left = core::claim_rank(*a->record.lane);
    const std::int64_t right = core::claim_rank(*b->record.lane);
    if (left != right) return left > right;
  }
  return core::stands_before(a->record, b->record);
}

std::vector<WorkingTask*> in_claim_order(const std::vector<WorkingTask*>& tasks) {
  std::vector<const core::TaskRecord*> records;
  records.reserve(tasks.size());
  for (const WorkingTask* task : tasks) records.push_back(&task->record);
  std::vector<WorkingTask*> ordered;
  ordered.reserve(tasks.size());
  for (const std::size_t index : core::claim_order(records)) ordered.push_back(tasks[index]);
  return ordered;
}

}  // namespace

bool may_find(store::Store& store, const core::ClaimTasks& claim) {
  return std::any_of(claim.queues.begin(), claim.queues.end(), [&](const std::string& queue) {
    bool is_known = false;  // a matching lane exists; if none does, another node may have created one
    for (const core::Lane* lane : store.lanes_of({.ns = claim.ns, .name = queue})) {
      if (!core::matches_any(claim.types, lane->type)) continue;
      if (store.may_be_claimable(*lane)) return true;
      is_known = true;
    }
    return !is_known;
  });
}

std::int64_t ClaimRound::Allowance::left_for(const std::string& type, std::int64_t wanted) const {
  if (paused) return 0;
  std::int64_t left = wanted;
  if (total) left = std::min(left, *total);
  if (const auto limit = by_type.find(type); limit != by_type.end()) left = std::min(left, limit->second);
  return std::max<std::int64_t>(left, 0);
}

void ClaimRound::Allowance::take(const std::string& type) {
  ++taken;
  if (total) --*total;
  if (const auto limit = by_type.find(type); limit != by_type.end()) --limit->second;
}

std::vector<std::vector<WorkingTask*>> ClaimRound::serve(std::span<WaitingClaim> claims) {
  std::vector<std::vector<WorkingTask*>> given(claims.size());
  if (claims.empty()) return given;
  const auto finds_nothing = [this](const WaitingClaim& waiting) { return !may_find(store_, waiting.claim); };
  if (set_.ready().empty() && std::all_of(claims.begin(), claims.end(), finds_nothing)) return given;
  load_rooms(claims);
  load_allowances(claims);

  std::vector<std::pair<Kind, std::vector<std::size_t>>> kinds;  // in order of their oldest claim
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].stored_answer) continue;
    const core::ClaimTasks& claim = claims[i].claim;
    const auto is_same = [&claim](const auto& entry) {
      const auto& [ns, queues, types] = entry.first;
      return ns == claim.ns && queues == claim.queues && types == claim.types;
    };
    const auto same = std::find_if(kinds.begin(), kinds.end(), is_same);
    if (same != kinds.end()) {
      same->second.push_back(i);
    } else {
      kinds.emplace_back(Kind{claim.ns, claim.queues, claim.types}, std::vector<std::size_t>{i});
    }
  }
  for (const auto& [kind, members] : kinds) serve_kind(claims, members, given);
  spend_rates();
  return given;
}

void ClaimRound::load_rooms(std::span<WaitingClaim> claims) {
  for (const WaitingClaim& waiting : claims) {
    const core::ClaimTasks& claim = waiting.claim;
    if (claim.held_max > 0) rooms_[{.ns = claim.ns, .worker_id = claim.worker_id}] = claim.held_max;
  }
  if (rooms_.empty()) return;
  std::vector<store::HolderRef> holders;
  for (const auto& [holder, room] : rooms_) holders.push_back(holder);
  const std::vector<std::int64_t> held = tx_.count_held(holders);
  auto count = held.begin();
  for (auto& [holder, room] : rooms_) room -= *count++ - set_.given_up_by(holder);
}

std::int64_t ClaimRound::room_for(const core::ClaimTasks& claim) const {
  if (rooms_.empty()) return claim.max;
  const auto room = rooms_.find({.ns = claim.ns, .worker_id = claim.worker_id});
  if (room == rooms_.end()) return claim.max;
  return std::clamp<std::int64_t>(room->second, 0, claim.max);
}

void ClaimRound::load_allowances(std::span<WaitingClaim> claims) {
  std::set<QueueRef> distinct;
  for (const WaitingClaim& waiting : claims) {
    for (const std::string& queue : waiting.claim.queues)
      distinct.insert({.ns = waiting.claim.ns, .name = queue});
  }
  const std::vector<QueueRef> refs(distinct.begin(), distinct.end());
  const store::Loaded loaded = tx_.load({.queues = refs});

  std::vector<QueueRef> limited;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const auto changed = set_.queues().find(refs[i]);  // by a command of this group
    const core::QueueSettings& settings =
        changed != set_.queues().end() ? changed->second.settings : loaded.queues[i];
    if (settings.paused && !core::planted(core::Canary::pause_ignored)) {
      allowances_[refs[i]].paused = true;
    } else if (settings.has_limits()) {
      limited.push_back(refs[i]);
    }
  }
  if (limited.empty()) return;

  auto locked = tx_.lock_queues(limited);
  const auto deltas = set_.held_deltas();
  for (std::size_t i = 0; i < limited.size(); ++i) {
    const auto changed = set_.queues().find(limited[i]);
    if (changed != set_.queues().end()) {
      locked[i].settings = changed->second.settings;
    } else {
      set_.queues()[limited[i]].settings = locked[i].settings;
    }
    allowances_[limited[i]] = allowance_of(locked[i], deltas);
  }
}

ClaimRound::Allowance ClaimRound::allowance_of(
    const store::LockedQueue& queue,
    const std::unordered_map<const core::Lane*, std::int64_t>& deltas) const {
  const core::QueueSettings& settings = queue.settings;
  Allowance allowance{.paused = settings.paused, .by_type = settings.type_concurrency};
  const bool is_bounded = settings.max_concurrency && !core::planted(core::Canary::limit_not_enforced);
  if (is_bounded) allowance.total = *settings.max_concurrency;
  for (const store::HeldInLane& lane : queue.held) {
    const auto delta = deltas.find(lane.lane);
    const std::int64_t held = lane.held + (delta == deltas.end() ? 0 : delta->second);
    if (allowance.total) *allowance.total -= held;
    if (const auto limit = allowance.by_type.find(lane.lane->type); limit != allowance.by_type.end()) {
      limit->second -= held;
    }
  }
  if (settings.rate) {
    const std::int64_t wanted = allowance.total.value_or(settings.rate->limit);
    const auto grant = core::rate_allows(*settings.rate, settings.rate_spent_until, wanted, tx_.claims_at());
    allowance.total = std::min(wanted, grant.granted);
  }
  return allowance;
}

void ClaimRound::serve_kind(std::span<WaitingClaim> claims, const std::vector<std::size_t>& members,
                            std::vector<std::vector<WorkingTask*>>& given) {
  std::int64_t wanted = 0;
  for (const std::size_t member : members) wanted += room_for(claims[member].claim);
  const core::ClaimTasks& kind = claims[members.front()].claim;
  const bool is_limited = std::any_of(kind.queues.begin(), kind.queues.end(), [&](const std::string& queue) {
    return allowances_.contains({.ns = kind.ns, .name = queue});
  });
  for (const std::size_t member : members) {
    const core::ClaimTasks& claim = claims[member].claim;
    claims[member].limited = is_limited || room_for(claim) < claim.max;
  }
  if (wanted == 0) return;

  const auto found = candidates(shares_for(kind, wanted), static_cast<std::size_t>(wanted));
  auto member = members.begin();
  std::size_t bytes = 0;  // payload bytes of `member` so far
  const auto is_full = [&](std::size_t index) {
    const core::ClaimTasks& claim = claims[index].claim;
    return given[index].size() == static_cast<std::size_t>(claim.max) || room_for(claim) == 0 ||
           bytes >= core::kClaimPayloadBytesMax;
  };
  const auto next_member = [&] {
    ++member;
    bytes = 0;
  };
  for (WorkingTask* task : found) {
    while (member != members.end() && is_full(*member)) next_member();
    if (member == members.end()) break;
    inputs_.fill_in(task->record.facts);
    if (core::is_damaged(task->record)) {
      set_.set_aside(*task, tx_.claims_at());
      continue;
    }
    const core::Lane& lane = *task->record.lane;
    if (!take_allowance(lane)) continue;
    const core::ClaimTasks& claim = claims[*member].claim;
    const core::Duration lease = claim.lease_for(lane.type) + lateness_of(claims[*member]);
    set_.change(*task, core::decide_claim(task->record, claim.worker_id, lease, tx_.claims_at()));
    given[*member].push_back(task);
    bytes += task->record.facts.payload.text.size();
    take_room(claim);
  }
}

bool ClaimRound::take_allowance(const core::Lane& lane) {
  if (allowances_.empty()) return true;
  const auto allowance = allowances_.find({.ns = lane.ns, .name = lane.queue});
  if (allowance == allowances_.end()) return true;
  if (allowance->second.left_for(lane.type, 1) == 0) return false;
  allowance->second.take(lane.type);
  return true;
}

void ClaimRound::take_room(const core::ClaimTasks& claim) {
  if (rooms_.empty()) return;
  const auto room = rooms_.find({.ns = claim.ns, .worker_id = claim.worker_id});
  if (room != rooms_.end()) --room->second;
}

// A holder counts its lease from the moment it sent the claim. If a claim joins a group that began before,
// the holder would see its lease end too early by the difference, so the lease is extended by it. A clock
// that was read after waiting for a lock is later than the claim; the lease is then harmlessly too long.
core::Duration ClaimRound::lateness_of(const WaitingClaim& waiting) const {
  return tx_.now_behind_max() + std::max(core::Duration{0}, waiting.submitted_at - began_at_);
}

std::vector<LaneShare> ClaimRound::shares_for(const core::ClaimTasks& claim, std::int64_t wanted) {
  std::set<QueueRef> queues;
  for (const std::string& queue : claim.queues) queues.insert({.ns = claim.ns, .name = queue});
  std::vector<LaneShare> shares;
  for (const QueueRef& queue : queues) {
    const auto allowance = allowances_.find(queue);
    for (const core::Lane* lane : store_.lanes_of(queue)) {
      if (!core::matches_any(claim.types, lane->type)) continue;
      const std::int64_t max =
          allowance == allowances_.end() ? wanted : allowance->second.left_for(lane->type, wanted);
      if (max > 0) shares.push_back({.lane = lane, .max = max});
    }
  }
  return shares;
}

std::vector<WorkingTask*> ClaimRound::candidates(std::vector<LaneShare> shares, std::size_t wanted) {
  std::vector<WorkingTask*> found;
  if (shares.empty()) return found;
  // The store still returns ready tasks that this group canceled; request that many more.
  const std::size_t moved = set_.moved_from_ready();
  for (LaneShare& share : shares) share.max += static_cast<std::int64_t>(moved);
  do {
    found = take_candidates(shares, wanted);
    load_missing_facts(found);
  } while (set_aside_damaged(found));
  return found;
}

std::vector<WorkingTask*> ClaimRound::take_candidates(const std::vector<LaneShare>& shares,
                                                      std::size_t wanted) {
  const std::size_t moved = set_.moved_from_ready();
  const bool is_shared = std::any_of(shares.begin(), shares.end(),
                                     [](const LaneShare& share) { return share.lane->is_shared(); });
  std::unordered_set<const core::Lane*> lanes;
  for (const LaneShare& share : shares) lanes.insert(share.lane);
  if (is_shared) {
    FairTake{tx_, set_}.take(shares, wanted + moved);
  } else {
    for (core::TaskRecord& record : tx_.take_ready(shares, wanted + moved)) set_.add_taken(std::move(record));
  }
  std::vector<WorkingTask*> found;
  for (WorkingTask* task : set_.ready()) {
    if (lanes.contains(task->record.lane)) found.push_back(task);
  }
  if (is_shared) {
    found = in_claim_order(found);
  } else {
    std::sort(found.begin(), found.end(), is_claimed_before);
  }
  if (found.size() > wanted) found.resize(wanted);
  return found;
}

bool ClaimRound::set_aside_damaged(std::vector<WorkingTask*>& tasks) {
  const auto damaged = std::stable_partition(
      tasks.begin(), tasks.end(), [](const WorkingTask* task) { return !core::is_damaged(task->record); });
  const bool is_any = damaged != tasks.end();
  for (auto task = damaged; task != tasks.end(); ++task) set_.set_aside(**task, tx_.claims_at());
  tasks.erase(damaged, tasks.end());
  return is_any;
}

void ClaimRound::load_missing_facts(std::span<WorkingTask* const> tasks) {
  std::vector<store::LoadTask> missing;
  for (const WorkingTask* task : tasks) {
    if (!task->record.has_facts) missing.push_back({.id = task->record.id, .facts = true});
  }
  if (missing.empty()) return;
  store::Loaded loaded = tx_.load({.tasks = missing});
  for (std::size_t i = 0; i < missing.size(); ++i) {
    WorkingTask* task = set_.find(missing[i].id);
    if (loaded.tasks[i]) {
      task->record.facts = std::move(loaded.tasks[i]->facts);
    } else {
      task->record.facts.labels.insert_or_assign(std::string{core::kUnreadableLabel}, "facts");
    }
    task->record.has_facts = true;
  }
}

void ClaimRound::spend_rates() {
  for (const auto& [ref, allowance] : allowances_) {
    if (allowance.taken == 0) continue;
    WorkingQueue& queue = set_.queues()[ref];
    if (!queue.settings.rate) continue;
    const auto grant = core::rate_allows(*queue.settings.rate, queue.settings.rate_spent_until,
                                         allowance.taken, tx_.claims_at());
    queue.settings.rate_spent_until = grant.spent_until;
    queue.is_changed = true;
  }
}

}  // namespace pawl::engine
