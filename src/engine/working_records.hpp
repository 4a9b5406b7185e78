#pragma once
// The records, checkpoints and audit entries that one group of commands touches, as the working set has its
// tasks: a later command sees what an earlier one did, and one commit writes what came of it.

#include <map>
#include <optional>
#include <vector>

#include "core/record.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class WorkingRecords {
 public:
  explicit WorkingRecords(store::Transaction& tx) : tx_(tx) {}

  void lock(std::vector<core::RecordRef> refs);
  void load_checkpoints(std::vector<core::Uuid> owners);

  // In the order of `refs`, all of which are locked.
  [[nodiscard]] std::vector<std::optional<core::Record>> find(const std::vector<core::RecordRef>& refs) const;
  void change(const core::RecordChange& change);
  void note(core::AuditEntry entry) { audit_.push_back(std::move(entry)); }
  // What the actor's token does not allow.
  void note_denial(const core::Actor& by, const std::string& ns, std::string object,
                   const core::Problem& problem);
  // Chains what was noted to the audit. The last lock of a group: whoever has it waits for nobody who wants
  // it.
  void chain_audit();

  [[nodiscard]] std::int64_t next_checkpoint(const core::Uuid& owner) const;
  void append(const core::AppendCheckpoint& command);

  void add_to(store::WriteSet& writes) const;

 private:
  struct Working {
    std::optional<core::Record> record = {};
    std::int64_t version_before = 0;
    std::int64_t version = 0;  // given last, also to what was erased since
    bool is_changed = false;
  };

  store::Transaction& tx_;
  std::map<core::RecordRef, Working> records_;
  std::map<core::Uuid, std::int64_t> last_checkpoints_;
  std::vector<store::CheckpointWrite> checkpoints_;
  std::vector<core::AuditEntry> audit_;
};

}  // namespace pawl::engine
