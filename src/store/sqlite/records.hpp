#pragma once
// Reads and writes records, checkpoints and the audit log.

#include <optional>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// Throws StoreError of kind retry if a record is no longer at the version it was loaded at.
void write_records(Connection& connection, const std::vector<RecordWrite>& writes);
void write_checkpoints(Connection& connection, const std::vector<CheckpointWrite>& writes);
void write_audit(Connection& connection, const std::vector<core::AuditEntry>& entries);

[[nodiscard]] std::optional<core::Record> find_record(Connection& connection, const core::RecordRef& ref);
// `now` is only read to select due records.
[[nodiscard]] std::vector<core::Record> select_records(Connection& connection,
                                                       const RecordSelection& selection, core::TimePoint now);
[[nodiscard]] std::vector<core::AuditEntry> list_audit(Connection& connection, const AuditPage& page);
[[nodiscard]] std::vector<core::Checkpoint> list_checkpoints(Connection& connection,
                                                             const CheckpointFilter& filter);
[[nodiscard]] core::CheckpointSummary summarize_checkpoints(Connection& connection, const core::Uuid& owner);

}  // namespace pawl::store::sqlite
