#include <utility>

#include "store/memory/transaction.hpp"

namespace pawl::store::memory {

std::vector<std::optional<core::Record>> MemoryTransaction::lock_records(
    std::span<const core::RecordRef> refs) {
  std::vector<std::optional<core::Record>> found;
  for (const core::RecordRef& ref : refs) {
    const auto record = state_.records.find(ref);
    found.push_back(record == state_.records.end() ? std::nullopt : std::optional{record->second});
  }
  return found;
}

std::vector<std::int64_t> MemoryTransaction::read_last_checkpoints(std::span<const core::Uuid> owners) {
  std::vector<std::int64_t> last;
  for (const core::Uuid& owner : owners) {
    const auto found = state_.checkpoints.find(owner);
    last.push_back(found == state_.checkpoints.end() ? 0 : found->second.back().sequence);
  }
  return last;
}

void MemoryTransaction::append(const core::Uuid& owner, core::Checkpoint checkpoint) {
  state_.checkpoints[owner].push_back(std::move(checkpoint));
}

void MemoryTransaction::check_records(const WriteSet& writes) const {
  for (const RecordWrite& write : writes.records) {
    const auto stored = state_.records.find(write.ref);
    const std::int64_t version = stored == state_.records.end() ? 0 : stored->second.version;
    if (version != write.version_before)
      throw StoreError{StoreError::Kind::retry, "a record changed since it was loaded"};
  }
}

void MemoryTransaction::write_records(const WriteSet& writes) {
  for (const RecordWrite& write : writes.records) {
    if (write.record) {
      state_.records[write.ref] = *write.record;
    } else {
      state_.records.erase(write.ref);
    }
  }
  state_.audit.insert(state_.audit.end(), writes.audit.begin(), writes.audit.end());
}

}  // namespace pawl::store::memory
