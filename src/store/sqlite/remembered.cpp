#include "store/sqlite/remembered.hpp"

#include <utility>

#include "core/base/canary.hpp"

namespace pawl::store::sqlite {

namespace {

constexpr std::size_t kLeasesMax = 10'000;
constexpr std::size_t kFactsMax = 2'000;
constexpr std::size_t kHoldersMax = 1'000;
constexpr std::size_t kPayloadBytesMax = 1'000;

core::TaskRecord without_most_facts(const core::TaskRecord& record) {
  core::TaskRecord slim{.id = record.id,
                        .lane = record.lane,
                        .place = record.place,
                        .status = record.status,
                        .progress = record.progress,
                        .available_at = record.available_at,
                        .lease = record.lease};
  slim.facts.key = record.facts.key;
  slim.facts.run = record.facts.run;
  slim.facts.fairness = record.facts.fairness;
  return slim;
}

}  // namespace

const core::TaskRecord* RememberedTasks::find_lease(const core::TaskId& id) const {
  const auto found = leases_.find(id);
  return found == leases_.end() ? nullptr : &found->second;
}

bool RememberedTasks::recall_facts(core::TaskRecord& record) {
  const auto found = facts_.find(record.id);
  if (found == facts_.end()) return false;
  record.facts = std::move(found->second);
  record.has_facts = true;
  facts_.erase(found);
  return true;
}

std::int64_t RememberedTasks::count_held(const HolderRef& holder,
                                         const std::function<std::int64_t()>& count) {
  if (const auto known = held_.find(holder); known != held_.end()) return known->second;
  if (held_.size() >= kHoldersMax) held_.clear();
  return held_.emplace(holder, count()).first->second;
}

void RememberedTasks::forget_all() {
  leases_.clear();
  facts_.clear();
  held_.clear();
}

void RememberedTasks::note_held(const core::TaskRecord& leased, std::int64_t change) {
  if (held_.empty()) return;
  const auto known = held_.find({.ns = leased.lane->ns, .worker_id = leased.lease->worker_id});
  if (known != held_.end()) known->second += change;
}

void RememberedTasks::note_lease(const TaskWrite& write) {
  const core::TaskRecord& record = *write.record;
  const auto before = leases_.find(record.id);
  if (before != leases_.end()) {
    note_held(before->second, -1);
    leases_.erase(before);
  } else if (write.from == core::Place::leased && !core::planted(core::Canary::held_count_kept)) {
    held_.clear();  // the previous holder is unknown
  }
  if (record.place != core::Place::leased) return;
  note_held(record, 1);
  if (leases_.size() < kLeasesMax) leases_.emplace(record.id, without_most_facts(record));
}

void RememberedTasks::note(std::span<const TaskWrite> committed) {
  for (const TaskWrite& write : committed) {
    const core::TaskRecord& record = *write.record;
    const bool is_awaited = write.is_new && record.place == core::Place::ready;
    if (is_awaited && record.facts.payload.text.size() <= kPayloadBytesMax) {
      if (facts_.size() >= kFactsMax) facts_.clear();  // tasks of a queue without workers would stay
      facts_.emplace(record.id, record.facts);
    }
    note_lease(write);
  }
}

}  // namespace pawl::store::sqlite
