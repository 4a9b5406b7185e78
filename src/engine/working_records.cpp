#include "engine/working_records.hpp"

#include <algorithm>
#include <utility>

#include "core/base/canary.hpp"
#include "core/base/ensure.hpp"
#include "core/base/store_clock.hpp"
#include "engine/sort_distinct.hpp"

namespace pawl::engine {

void WorkingRecords::lock(std::vector<core::RecordRef> refs) {
  if (refs.empty()) return;
  sort_distinct(refs);
  auto found = tx_.lock_records(refs);
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const std::int64_t version = found[i] ? found[i]->version : 0;
    if (found[i]) core::skip_jumps(*found[i], tx_.clock());
    records_.emplace(std::move(refs[i]),
                     Working{.record = std::move(found[i]), .version_before = version, .version = version});
  }
}

void WorkingRecords::load_checkpoints(std::vector<core::Uuid> owners) {
  if (owners.empty()) return;
  sort_distinct(owners);
  const auto last = tx_.load({.checkpoint_owners = owners}).last_checkpoints;
  for (std::size_t i = 0; i < owners.size(); ++i) last_checkpoints_.emplace(owners[i], last[i]);
}

std::vector<std::optional<core::Record>> WorkingRecords::find(
    const std::vector<core::RecordRef>& refs) const {
  std::vector<std::optional<core::Record>> found;
  found.reserve(refs.size());
  for (const core::RecordRef& ref : refs) found.push_back(records_.at(ref).record);
  return found;
}

void WorkingRecords::change(const core::RecordChange& change) {
  const auto found = records_.find(change.ref);
  PAWL_ENSURE(found != records_.end(), "a decision changes the records it was shown");
  Working& working = found->second;
  working.is_changed = true;
  if (!change.body) {
    working.record = std::nullopt;
    return;
  }
  const core::TimePoint created_at = working.record ? working.record->created_at : tx_.now();
  working.record = core::Record{.ref = change.ref,
                                .version = ++working.version,
                                .body = *change.body,
                                .expires_at = change.expires_at,
                                .created_at = created_at,
                                .updated_at = tx_.now()};
}

void WorkingRecords::note_denial(const core::Actor& by, const std::string& ns, std::string object,
                                 const core::Problem& problem) {
  core::AuditEntry entry = core::audit_of(by, ns, "denied", std::move(object));
  entry.outcome = core::kind_of(problem.code).name;
  if (!core::planted(core::Canary::denial_not_written_down)) note(std::move(entry));
}

void WorkingRecords::chain_audit() {
  if (audit_.empty()) return;
  const core::RecordRef ref = core::audit_end_ref();
  lock({ref});
  core::AuditEnd end = core::audit_end_from(records_.at(ref).record);
  for (core::AuditEntry& entry : audit_) core::chain(end, entry, tx_.now());
  change({.ref = ref, .body = core::body_of(end)});
}

std::int64_t WorkingRecords::next_checkpoint(const core::Uuid& owner) const {
  return last_checkpoints_.at(owner) + 1;
}

void WorkingRecords::append(const core::AppendCheckpoint& command) {
  const core::Uuid owner = core::id_of(command.owner);
  const std::int64_t sequence = ++last_checkpoints_.at(owner);
  checkpoints_.push_back({.owner = owner,
                          .checkpoint = {.sequence = sequence,
                                         .type = command.type,
                                         .snapshot = command.snapshot,
                                         .metadata = command.metadata,
                                         .created_at = tx_.now()},
                          .kept = command.kept});
}

void WorkingRecords::add_to(store::WriteSet& writes) const {
  for (const auto& [ref, working] : records_) {
    const bool never_was = working.version_before == 0 && !working.record;
    if (!working.is_changed || never_was) continue;
    writes.records.push_back(
        {.ref = ref, .version_before = working.version_before, .record = working.record});
  }
  writes.checkpoints = checkpoints_;
  writes.audit = audit_;
}

}  // namespace pawl::engine
