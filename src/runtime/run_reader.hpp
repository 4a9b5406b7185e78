#pragma once
// Reads stored runs and their plans, for the calls of LocalApi. Thread-safe.

#include <string>
#include <vector>

#include "core/api/run_api.hpp"
#include "engine/plans.hpp"
#include "runtime/promised_ids.hpp"
#include "store/store.hpp"

namespace pawl::runtime {

class RunReader {
 public:
  RunReader(store::Store& store, const PromisedIds& promised, engine::Plans& plans)
      : store_(store), promised_(promised), plans_(plans) {}

  core::Result<store::StoredRun> read(const core::RunRef& ref, store::RunParts parts);
  // A page of the nodes of a code run.
  core::Result<store::StoredRun> read_nodes(const core::RunRef& ref, const core::NodePage& page);
  // The body's task, for callers that know only the run and the fence.
  core::Result<core::TaskId> body_of(const core::RunRef& ref);
  // Null unless it is a graph run.
  core::Result<engine::SharedPlan> plan_of(const core::Run& run);
  // The ids of the first `limit` runs that match.
  [[nodiscard]] core::Result<std::vector<core::RunId>> list_ids(store::RunPage page, std::size_t limit);

 private:
  core::Result<store::StoredRun> find(const core::RunRef& ref, store::RunParts parts);

  store::Store& store_;
  const PromisedIds& promised_;
  engine::Plans& plans_;
};

// All nodes of a run: those that were never stored have the initial state of the definition. `graph` is null
// unless it is a graph run.
[[nodiscard]] std::vector<core::Node> all_nodes(std::vector<core::Node> stored, const core::Graph* graph);
[[nodiscard]] core::Status check_run_query(const core::RunQuery& query);

}  // namespace pawl::runtime
