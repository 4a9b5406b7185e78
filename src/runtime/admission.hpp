#pragma once
// Checks calls before they become commands: the declared types, the settings of the namespace, and the state
// and owner of the worker. The checks compare with records that are up to RecordCache::kStaleness old, so
// they keep no invariant of stored data. Thread-safe like its CommandCaller.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/namespace_settings.hpp"
#include "core/records/worker.hpp"
#include "core/run/run_command.hpp"
#include "core/task/command.hpp"
#include "core/task/task_type.hpp"
#include "runtime/local_options.hpp"
#include "runtime/record_access.hpp"
#include "runtime/run_reader.hpp"
#include "store/store.hpp"

namespace pawl::runtime {

class Admission {
 public:
  Admission(store::Store& store, RecordAccess& records, RunReader& runs, const LocalApiOptions& options)
      : store_(store), records_(records), runs_(runs), options_(options) {}

  // These may read the store.
  // Refuses tasks that their types or their namespace do not allow, and fills in the types' defaults.
  core::Status admit(core::EnqueueTasks& command);
  // Fills in the settings of the worker and the types; false: the worker gets no more tasks.
  core::Result<bool> admit(core::ClaimTasks& command);
  // Refuses outputs that are too large for the namespace, and finds the body for a caller that knows only the
  // run.
  core::Status admit(core::WriteSteps& command);
  core::Status admit(const core::StartRun& command);
  // Removes the refused writes; returns the status of each write.
  std::vector<core::Status> admit(core::WriteStepsOfMany& command);
  // Refuses reports for a worker of another token.
  core::Status admit(const core::ReportTasks& command);
  // The same for a call that names a worker and does not change it.
  core::Status check_owner(const core::WorkerRef& worker);
  // Refuses a value that is too large for the namespace.
  core::Status admit_json(const std::string& ns, std::string_view field, const core::RawJson& json);
  // Fills in the types' defaults only.
  core::Status fill_in_types(core::EnqueueTasks& command);

  // Whether `admit` finds all that it compares with in the cache, so that a thread that must not wait for the
  // store may call it.
  [[nodiscard]] bool is_cached(const core::EnqueueTasks& command);
  [[nodiscard]] bool is_cached(const core::ClaimTasks& command);
  [[nodiscard]] bool is_cached(const core::WriteSteps& command);
  [[nodiscard]] bool is_cached(const core::WriteStepsOfMany& command);
  [[nodiscard]] bool is_cached(const core::StartRun& command);
  [[nodiscard]] bool is_cached(const core::ReportTasks& command);
  [[nodiscard]] bool is_cached(const core::WorkerRef& worker);

 private:
  // Null if the type is not declared. Shared with the cache.
  using SharedType = std::shared_ptr<const core::DeclaredType>;
  core::Result<SharedType> declared_type(const std::string& ns, const std::string& name, bool is_strict);
  core::Result<bool> is_registered_type(const std::string& ns, const std::string& type);
  // Whether the worker was seen recently, so that its claim need not be recorded.
  [[nodiscard]] bool was_seen_recently(const core::Worker& worker, core::TimePoint now) const;
  // The types that the claim may get.
  [[nodiscard]] std::set<std::string> types_of(const core::ClaimTasks& command);
  core::Result<core::Worker> claiming_worker(const core::ClaimTasks& command);
  core::Result<std::map<std::string, core::Duration>> type_leases(const core::ClaimTasks& command);
  // The largest JSON value that a namespace accepts, in bytes.
  [[nodiscard]] std::int64_t payload_max_of(const core::NamespaceSettings& settings) const;

  store::Store& store_;
  RecordAccess& records_;
  RunReader& runs_;
  const LocalApiOptions& options_;
};

}  // namespace pawl::runtime
