#pragma once
// Converts locks, idempotency keys, workers, types, tokens, namespaces, checkpoints and audit entries to and
// from JSON.

#include "core/api/api.hpp"
#include "core/task/retry_json.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

void write_lock(Writer& out, const core::LockAnswer& answer);
[[nodiscard]] core::LockAnswer read_lock(ObjectReader& in);

void write_idempotency(Writer& out, const core::IdempotencyKey& key);
[[nodiscard]] core::IdempotencyKey read_idempotency(ObjectReader& in);

[[nodiscard]] core::RegisterWorker read_registration(ObjectReader& in);
void write_registration(Writer& out, const core::RegisterWorker& request);
void write_worker(Writer& out, const core::Worker& worker);
[[nodiscard]] core::Worker read_worker(ObjectReader& in);
// A worker's tasks whose leases were canceled or lost.
void write_notices(Writer& out, const std::vector<core::TaskId>& tasks);
[[nodiscard]] std::vector<core::TaskId> read_notices(ObjectReader& in);

[[nodiscard]] core::TaskType read_task_type(ObjectReader& in);  // without its name
void write_task_type(Writer& out, const core::TaskType& type, bool with_name);

// Omits the hash of the secret.
void write_token_fields(Writer& out, const core::Token& token);
[[nodiscard]] core::Token read_token(ObjectReader& in);

[[nodiscard]] core::NamespacePatch read_namespace_patch(ObjectReader& in);
void write_namespace_patch(Writer& out, const core::NamespacePatch& patch);
void write_namespace(Writer& out, const core::NamespaceSettings& settings);
[[nodiscard]] core::NamespaceSettings read_namespace(ObjectReader& in);

// Reads a task_id or a run_id, but not both.
[[nodiscard]] core::CheckpointOwner read_owner(ObjectReader& in);
[[nodiscard]] std::string owner_query(const core::CheckpointOwner& owner);
void write_owner(Writer& out, const core::CheckpointOwner& owner);
void write_checkpoint(Writer& out, const core::CheckpointOwner& owner, const core::Checkpoint& checkpoint);
[[nodiscard]] core::Checkpoint read_checkpoint(ObjectReader& in);
void write_checkpoint_summary(Writer& out, const core::CheckpointSummary& summary);
[[nodiscard]] core::CheckpointSummary read_checkpoint_summary(ObjectReader& in);

void write_audit(Writer& out, const core::AuditEntry& entry);
[[nodiscard]] core::AuditEntry read_audit(ObjectReader& in);

void write_texts(Writer& out, const std::vector<std::string>& texts);

}  // namespace pawl::wire
