#pragma once
// Reads stored tasks, for the calls of LocalApi. Thread-safe.

#include <cstdint>
#include <string>
#include <vector>

#include "core/api/task_api.hpp"
#include "engine/run_inputs.hpp"
#include "runtime/promised_ids.hpp"
#include "store/store.hpp"

namespace pawl::runtime {

struct TaskLease {
  std::int64_t fence = 0;  // 0: the task is not held
  std::string queue = {};  // empty: the task does not exist
};

class TaskReader {
 public:
  TaskReader(store::Store& store, const PromisedIds& promised) : store_(store), promised_(promised) {}

  core::Result<core::TaskWithAttempts> get(const std::string& ns, const core::TaskId& id);
  core::Result<core::Page<core::Task>> list(const core::ListTasks& list);
  // The ids of the first `limit` tasks that match.
  [[nodiscard]] core::Result<std::vector<core::TaskId>> list_ids(store::TaskPage page, std::size_t limit);

  core::Result<TaskLease> lease_of(const std::string& ns, const core::TaskId& id);
  core::Result<std::vector<core::TaskId>> held_by(const std::string& ns, const std::string& worker_id);

 private:
  core::Result<core::TaskWithAttempts> find(const std::string& ns, const core::TaskId& id);
  [[nodiscard]] engine::RunInputs run_inputs();

  store::Store& store_;
  const PromisedIds& promised_;
};

[[nodiscard]] store::TaskFilter filter_of(const core::TaskQuery& query);
[[nodiscard]] core::Status check_query(const core::TaskQuery& query);

}  // namespace pawl::runtime
