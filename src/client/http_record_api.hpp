#pragma once
// The calls on checkpoints, locks, idempotency keys and task types over a server.

#include <string>
#include <vector>

#include "client/http_connection.hpp"
#include "core/api/record_api.hpp"

namespace pawl::client {

class HttpRecordApi : public virtual core::RecordApi {
 public:
  explicit HttpRecordApi(HttpConnection& connection) : connection_(connection) {}

  core::Result<core::CheckpointAppended> append_checkpoint(core::AppendCheckpoint command) override;
  using core::RecordApi::list_checkpoints;
  core::Result<std::vector<core::Checkpoint>> list_checkpoints(const core::ListCheckpoints& list) override;
  core::Result<core::CheckpointSummary> summarize_checkpoints(const std::string& ns,
                                                              const core::CheckpointOwner& owner) override;

  core::Result<core::LockAnswer> acquire_lock(const core::AcquireLock& request) override;
  core::Result<core::Lock> renew_lock(const core::RenewLock& request) override;
  core::Result<core::Lock> release_lock(const core::ReleaseLock& request) override;
  core::Result<core::Lock> get_lock(const std::string& ns, const std::string& key) override;

  core::Result<core::IdempotencyBegun> begin_idempotency(const core::BeginIdempotency& request) override;
  core::Result<core::IdempotencyKey> complete_idempotency(const core::EndIdempotency& request) override;
  core::Result<core::IdempotencyKey> fail_idempotency(const core::EndIdempotency& request) override;
  core::Result<core::IdempotencyKey> get_idempotency(const std::string& ns, const std::string& key) override;

  core::Result<core::TaskType> put_type(const core::PutTaskType& request) override;
  core::Result<core::TaskType> get_type(const std::string& ns, const std::string& name) override;
  core::Result<core::Page<core::TaskType>> list_types(const core::ListRecords& list) override;
  core::Result<core::Done> delete_type(const core::DeleteTaskType& request) override;

 private:
  HttpConnection& connection_;
};

}  // namespace pawl::client
