#include "store/postgres/remembered.hpp"

#include "core/base/canary.hpp"

namespace pawl::store::postgres {

namespace {

constexpr std::size_t kFactsBytesMax = 32U << 20U;

std::size_t bytes_of(const core::TaskFacts& facts) {
  std::size_t bytes = 2 * sizeof(facts) + facts.payload.text.size();
  for (const auto& [name, value] : facts.labels) bytes += 100 + name.size() + value.size();
  return bytes;
}

}  // namespace

void RememberedFacts::remember(std::span<const TaskWrite> committed) {
  const std::lock_guard lock{mutex_};
  for (const TaskWrite& write : committed) {
    if (!write.is_new || write.record->place != core::Place::ready) continue;
    const std::size_t bytes = bytes_of(write.record->facts);
    facts_.emplace(write.record->id, Entry{.facts = write.record->facts, .bytes = bytes});
    oldest_first_.push_back(write.record->id);
    bytes_ += bytes;
  }
  const auto forget_oldest = [this] {
    const auto known = facts_.find(oldest_first_.front());
    if (known != facts_.end()) {
      bytes_ -= known->second.bytes;
      facts_.erase(known);
    }
    oldest_first_.pop_front();
  };
  while (bytes_ > kFactsBytesMax) forget_oldest();
  while (!oldest_first_.empty() && !facts_.contains(oldest_first_.front())) forget_oldest();
}

void RememberedFacts::recall(std::span<core::TaskRecord> records) {
  const std::lock_guard lock{mutex_};
  for (core::TaskRecord& record : records) {
    const auto known = facts_.find(record.id);
    if (known == facts_.end()) continue;
    record.facts = std::move(known->second.facts);
    record.has_facts = true;
    bytes_ -= known->second.bytes;
    facts_.erase(known);
  }
}

core::TaskRecord RememberedLease::record(const core::TaskId& id) const {
  core::TaskRecord record;
  record.id = id;
  record.lane = lane;
  record.place = core::Place::leased;
  record.status = core::TaskStatus::claimed;
  record.progress = {.attempt = 1, .fence = kFirstFence, .budget_from = 0};
  record.available_at = available_at;
  record.facts.run = run;
  record.lease = core::Lease{.worker_id = worker_id, .acquired_at = acquired_at, .expires_at = expires_at};
  return record;
}

void RememberedLeases::remember(std::span<const TaskWrite* const> committed,
                                std::span<const Address> addresses) {
  const std::lock_guard lock{mutex_};
  for (std::size_t i = 0; i < committed.size(); ++i) {
    const core::TaskRecord& record = *committed[i]->record;
    leases_.insert_or_assign(record.id, RememberedLease{.lane = record.lane,
                                                        .available_at = record.available_at,
                                                        .acquired_at = record.lease->acquired_at,
                                                        .expires_at = record.lease->expires_at,
                                                        .worker_id = record.lease->worker_id,
                                                        .run = record.facts.run,
                                                        .address = addresses[i]});
    oldest_first_.push_back(record.id);
  }
  while (!oldest_first_.empty() && (leases_.size() > max_ || !leases_.contains(oldest_first_.front()))) {
    leases_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
}

std::vector<std::optional<RememberedLease>> RememberedLeases::recall(std::span<const LoadTask> tasks,
                                                                     core::TimePoint now) {
  std::vector<std::optional<RememberedLease>> recalled(tasks.size());
  const std::lock_guard lock{mutex_};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto known = leases_.find(tasks[i].id);
    if (known == leases_.end()) continue;
    // Rejected requests write nothing, so the commit would not compare the lease. So only requests of the
    // holder use the cache, and only while the lease lasts, because another node may have renewed it.
    const LoadTask::HeldLease held{.fence = kFirstFence, .worker_id = known->second.worker_id};
    const bool lasts =
        known->second.expires_at > now || core::planted(core::Canary::remembered_lease_outlives_itself);
    if (lasts && tasks[i].hints.expected_fence == kFirstFence) {
      recalled[i] = known->second;
      continue;
    }
    if (lasts &&
        (tasks[i].hints.ended_lease == held || core::planted(core::Canary::remembered_lease_of_any_holder)))
      recalled[i] = std::move(known->second);
    leases_.erase(known);
  }
  return recalled;
}

void RememberedLeases::forget(const core::TaskId& id) {
  const std::lock_guard lock{mutex_};
  leases_.erase(id);
}

void RememberedFacts::forget_all() {
  const std::lock_guard lock{mutex_};
  facts_.clear();
  oldest_first_.clear();
  bytes_ = 0;
}

void RememberedLeases::forget_all() {
  const std::lock_guard lock{mutex_};
  leases_.clear();
  oldest_first_.clear();
}

}  // namespace pawl::store::postgres
