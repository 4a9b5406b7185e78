#include "engine/waiters.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/canary.hpp"
#include "core/task/type_pattern.hpp"

namespace pawl::engine {

using store::QueueRef;

std::uint64_t Waiters::wakes() const {
  const std::lock_guard lock{mutex_};
  return wakes_;
}

bool Waiters::park(WaitingClaim& claim, std::uint64_t seen) {
  {
    const std::lock_guard lock{mutex_};
    for (const std::string& queue : claim.claim.queues) {
      const auto woken = woken_.find(QueueRef{claim.claim.ns, queue});
      if (woken != woken_.end() && woken->second > seen) return false;
    }
    const bool is_put_back = claim.place != 0;  // accepted before: a newer claim must not displace it
    if (is_put_back || claims_.size() < waiting_max_) {
      if (claim.place == 0) claim.place = ++last_place_;
      index(claim, true);
      claims_.emplace(claim.place, std::move(claim));
      return true;
    }
  }
  claim.reply(core::Problem{.code = core::ProblemCode::resource_exhausted,
                            .detail = "too many waiting claims; retry later"});
  return true;
}

std::vector<WaitingClaim> Waiters::take_for(std::span<const Wake> wakes) {
  const std::lock_guard lock{mutex_};
  std::vector<WaitingClaim> taken;
  for (const Wake& wake : wakes) {
    const core::Lane& lane = *wake.lane;
    woken_[QueueRef{lane.ns, lane.queue}] = ++wakes_;
    std::int64_t left = core::planted(core::Canary::waiting_claim_not_woken) ? 0 : wake.count;
    while (left > 0 && !claims_.empty()) {
      const std::uint64_t oldest = first_for(lane.ns, lane.queue, lane.type);
      if (oldest == 0) break;
      taken.push_back(remove(oldest));
      left -= taken.back().claim.max;
    }
  }
  std::sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
  return taken;
}

std::vector<std::string> Waiters::indexed_as(const std::string& type) const {
  std::vector<std::string> names{type, ""};
  if (beginnings_ == 0) return names;
  for (std::size_t length = 0; length <= type.size(); ++length) names.push_back(type.substr(0, length) + "*");
  return names;
}

std::uint64_t Waiters::first_for(const std::string& ns, const std::string& queue,
                                 const std::string& type) const {
  std::uint64_t oldest = 0;
  for (const std::string& wanted : indexed_as(type)) {
    const auto places = index_.find(IndexKey{ns, queue, wanted});
    if (places == index_.end()) continue;
    const std::uint64_t first = *places->second.begin();
    oldest = oldest == 0 ? first : std::min(oldest, first);
  }
  return oldest;
}

std::optional<store::HolderRef> Waiters::holder_of_first(const std::string& ns, const std::string& queue,
                                                         const std::string& type) const {
  const std::lock_guard lock{mutex_};
  const std::uint64_t first = first_for(ns, queue, type);
  if (first == 0) return std::nullopt;
  const WaitingClaim& waiting = claims_.at(first);
  const core::ClaimTasks& claim = waiting.claim;
  if (claim.held_max == 0 || waiting.once) return std::nullopt;
  return store::HolderRef{.ns = claim.ns, .worker_id = claim.worker_id};
}

std::vector<WaitingClaim> Waiters::take_of_queue(const QueueRef& queue, bool only_limited,
                                                 std::size_t count) {
  const std::lock_guard lock{mutex_};
  std::vector<std::uint64_t> places;
  for (const auto& [place, claim] : claims_) {
    if (places.size() == count) break;
    const auto& queues = claim.claim.queues;
    const bool is_of_queue =
        claim.claim.ns == queue.ns && std::find(queues.begin(), queues.end(), queue.name) != queues.end();
    if (is_of_queue && (claim.limited || !only_limited)) places.push_back(place);
  }
  woken_[queue] = ++wakes_;
  std::vector<WaitingClaim> taken;
  for (const std::uint64_t place : places) taken.push_back(remove(place));
  return taken;
}

std::vector<WaitingClaim> Waiters::take_oldest_of_each_kind(bool only_limited) {
  const std::lock_guard lock{mutex_};
  std::set<std::tuple<std::string, std::vector<std::string>, std::vector<std::string>>> kinds;
  std::vector<std::uint64_t> places;
  for (const auto& [place, claim] : claims_) {
    if (only_limited && !claim.limited) continue;
    if (kinds.emplace(claim.claim.ns, claim.claim.queues, claim.claim.types).second) places.push_back(place);
  }
  std::vector<WaitingClaim> taken;
  for (const std::uint64_t place : places) taken.push_back(remove(place));
  return taken;
}

std::vector<WaitingClaim> Waiters::take_expired(core::MonotonicTime now) {
  const std::lock_guard lock{mutex_};
  std::vector<WaitingClaim> taken;
  while (!ends_.empty() && ends_.begin()->first <= now) taken.push_back(remove(ends_.begin()->second));
  return taken;
}

// Scans all claims: workers are drained rarely.
std::vector<WaitingClaim> Waiters::take_of_worker(const std::string& ns, const std::string& worker_id) {
  const std::lock_guard lock{mutex_};
  std::vector<std::uint64_t> places;
  for (const auto& [place, waiting] : claims_) {
    if (waiting.claim.ns == ns && waiting.claim.worker_id == worker_id) places.push_back(place);
  }
  std::vector<WaitingClaim> taken;
  for (const std::uint64_t place : places) taken.push_back(remove(place));
  return taken;
}

std::vector<WaitingClaim> Waiters::take_all() {
  const std::lock_guard lock{mutex_};
  std::vector<WaitingClaim> taken;
  while (!claims_.empty()) taken.push_back(remove(claims_.begin()->first));
  return taken;
}

std::size_t Waiters::size() const {
  const std::lock_guard lock{mutex_};
  return claims_.size();
}

bool Waiters::has_limited() const {
  const std::lock_guard lock{mutex_};
  return limited_ > 0;
}

std::optional<core::MonotonicTime> Waiters::next_end() const {
  const std::lock_guard lock{mutex_};
  if (ends_.empty()) return std::nullopt;
  return ends_.begin()->first;
}

WaitingClaim Waiters::remove(std::uint64_t place) {
  auto node = claims_.extract(place);
  index(node.mapped(), false);
  return std::move(node.mapped());
}

void Waiters::index(const WaitingClaim& claim, bool add) {
  static const std::vector<std::string> any_type{""};
  const auto& types = claim.claim.types.empty() ? any_type : claim.claim.types;
  for (const std::string& queue : claim.claim.queues) {
    for (const std::string& type : types) {
      IndexKey key{claim.claim.ns, queue, type};
      const std::size_t counted = core::is_beginning(type) ? 1 : 0;
      if (add) {
        if (index_[std::move(key)].insert(claim.place).second) beginnings_ += counted;
        continue;
      }
      const auto places = index_.find(key);
      if (places == index_.end()) continue;  // a queue or type that the claim names twice
      beginnings_ -= counted * places->second.erase(claim.place);
      if (places->second.empty()) index_.erase(places);
    }
  }
  if (add) {
    ends_.emplace(claim.until, claim.place);
    limited_ += claim.limited ? 1 : 0;
  } else {
    ends_.erase({claim.until, claim.place});
    limited_ -= claim.limited ? 1 : 0;
  }
}

}  // namespace pawl::engine
