#include "store/sqlite/remembered.hpp"

#include <utility>

namespace pawl::store::sqlite {

namespace {

constexpr std::size_t kLeasesMax = 10'000;
constexpr std::size_t kFactsMax = 2'000;
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

void RememberedTasks::forget_all() {
  leases_.clear();
  facts_.clear();
}

void RememberedTasks::note(std::span<const TaskWrite> committed) {
  for (const TaskWrite& write : committed) {
    const core::TaskRecord& record = *write.record;
    const bool is_awaited = write.is_new && record.place == core::Place::ready;
    if (is_awaited && record.facts.payload.text.size() <= kPayloadBytesMax) {
      if (facts_.size() >= kFactsMax) facts_.clear();  // those of a queue that nobody serves would stay
      facts_.emplace(record.id, record.facts);
    }
    const bool is_leased = record.place == core::Place::leased;
    if (is_leased && (leases_.size() < kLeasesMax || leases_.contains(record.id))) {
      leases_.insert_or_assign(record.id, without_most_facts(record));
    } else if (!is_leased) {
      leases_.erase(record.id);
    }
  }
}

}  // namespace pawl::store::sqlite
