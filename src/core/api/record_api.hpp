#pragma once
// Every use case of the records of applications: checkpoints, locks, idempotency keys and task types. See
// core/api/api.hpp.

#include <string>
#include <vector>

#include "core/api/page.hpp"
#include "core/records/checkpoint.hpp"
#include "core/records/idempotency.hpp"
#include "core/records/lock.hpp"
#include "core/task/command.hpp"
#include "core/task/task_type.hpp"

namespace pawl::core {

class RecordApi {
 public:
  RecordApi() = default;
  RecordApi(const RecordApi&) = delete;
  RecordApi& operator=(const RecordApi&) = delete;
  virtual ~RecordApi() = default;

  // Checkpoints
  virtual Result<CheckpointAppended> append_checkpoint(AppendCheckpoint command) = 0;
  virtual Result<std::vector<Checkpoint>> list_checkpoints(const ListCheckpoints& list) = 0;
  Result<std::vector<Checkpoint>> list_checkpoints(const std::string& ns, const CheckpointOwner& owner) {
    return list_checkpoints({.ns = ns, .owner = owner});
  }
  virtual Result<CheckpointSummary> summarize_checkpoints(const std::string& ns,
                                                          const CheckpointOwner& owner) = 0;

  // Locks
  virtual Result<LockAnswer> acquire_lock(const AcquireLock& request) = 0;
  virtual Result<Lock> renew_lock(const RenewLock& request) = 0;
  virtual Result<Lock> release_lock(const ReleaseLock& request) = 0;
  virtual Result<Lock> get_lock(const std::string& ns, const std::string& key) = 0;

  // Idempotency keys of workers' own calls
  virtual Result<IdempotencyBegun> begin_idempotency(const BeginIdempotency& request) = 0;
  virtual Result<IdempotencyKey> complete_idempotency(const EndIdempotency& request) = 0;
  virtual Result<IdempotencyKey> fail_idempotency(const EndIdempotency& request) = 0;
  virtual Result<IdempotencyKey> get_idempotency(const std::string& ns, const std::string& key) = 0;

  // Task types
  virtual Result<TaskType> put_type(const PutTaskType& request) = 0;
  virtual Result<TaskType> get_type(const std::string& ns, const std::string& name) = 0;
  virtual Result<Page<TaskType>> list_types(const ListRecords& list) = 0;
  virtual Result<Done> delete_type(const DeleteTaskType& request) = 0;
};

}  // namespace pawl::core
