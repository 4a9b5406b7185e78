#pragma once
// The records, checkpoints and audit entries that one group of commands touches, as WorkingSet has its tasks:
// a later command sees the effect of an earlier one, and one commit writes the result.

#include <map>
#include <optional>
#include <vector>

#include "core/records/record.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class WorkingRecords {
 public:
  explicit WorkingRecords(store::Transaction& tx) : tx_(tx) {}

  void lock(std::vector<core::RecordRef> refs);
  void load_checkpoints(std::vector<core::Uuid> owners);

  // Returns records in the order of `refs`, all of which must be locked.
  [[nodiscard]] std::vector<std::optional<core::Record>> find(const std::vector<core::RecordRef>& refs) const;
  void change(const core::RecordChange& change);
  void note(core::AuditEntry entry) { audit_.push_back(std::move(entry)); }
  // Notes an action that the actor's token does not allow.
  void note_denial(const core::Actor& by, const std::string& ns, std::string object,
                   const core::Problem& problem);
  // Chains the noted entries to the audit log. This is the last lock of a group, so its owner never waits for
  // a group that needs it.
  void chain_audit();

  [[nodiscard]] std::int64_t next_checkpoint(const core::Uuid& owner) const;
  void append(const core::AppendCheckpoint& command);

  void add_to(store::WriteSet& writes) const;

 private:
  struct Working {
    std::optional<core::Record> record = {};
    std::int64_t version_before = 0;
    std::int64_t version = 0;  // the last one assigned, also to a record erased since
    bool is_changed = false;
  };

  store::Transaction& tx_;
  std::map<core::RecordRef, Working> records_;
  std::map<core::Uuid, std::int64_t> last_checkpoints_;
  std::vector<store::CheckpointWrite> checkpoints_;
  std::vector<core::AuditEntry> audit_;
};

}  // namespace pawl::engine
