#include "runtime/run_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/cursor.hpp"
#include "runtime/guarded.hpp"

namespace pawl::runtime {

using core::Result;

namespace {

core::Problem no_such_run(const core::RunId& id) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no run " + to_string(id)};
}

}  // namespace

core::Status check_run_query(const core::RunQuery& query) {
  if (const core::Status ns = core::check_namespace(query.ns); !ns) return ns;
  if (query.workflow) {
    if (const core::Status name = core::check_name("workflow", *query.workflow); !name) return name;
  }
  if (query.label) {
    const auto& [name, value] = *query.label;
    if (const core::Status label = core::check_name("label", name); !label) return label;
    if (const core::Status label = core::check_key("label", value); !value.empty() && !label) return label;
  }
  return query.run_key ? core::check_key("run_key", *query.run_key) : core::Status{core::Done{}};
}

// All nodes: those that were never stored have the initial state of the definition.
std::vector<core::Node> all_nodes(std::vector<core::Node> stored, const core::Graph* graph) {
  if (graph == nullptr) return stored;
  std::vector<bool> is_stored(graph->size(), false);
  for (const core::Node& node : stored) {
    if (node.key.item == core::kNoItem && node.key.index < graph->size()) is_stored[node.key.index] = true;
  }
  for (core::NodeIndex index = 0; index < graph->size(); ++index) {
    if (!is_stored[index]) stored.push_back(core::first_node(*graph, {.index = index}));
  }
  std::sort(stored.begin(), stored.end(),
            [](const core::Node& a, const core::Node& b) { return a.key < b.key; });
  return stored;
}

Result<store::StoredRun> RunReader::read(const core::RunRef& ref, store::RunParts parts) {
  if (const core::Status valid = core::check_namespace(ref.ns); !valid) return valid.problem();
  return promised_.with_promised(ref.id, [&] { return find(ref, parts); });
}

Result<store::StoredRun> RunReader::find(const core::RunRef& ref, store::RunParts parts) {
  return guarded([&]() -> Result<store::StoredRun> {
    auto stored = store_.find_run(ref.id, parts);
    if (!stored || stored->run.facts.ns != ref.ns) return no_such_run(ref.id);
    return std::move(*stored);
  });
}

// Reads a page of the nodes of a code run.
Result<store::StoredRun> RunReader::read_nodes(const core::RunRef& ref, const core::NodePage& page) {
  auto stored = read(ref, {.page = page});
  if (!stored || stored->run.facts.kind == core::RunKind::code) return stored;
  return core::Problem{.code = core::ProblemCode::invalid_state, .detail = "only a run of code has steps"};
}

// Finds the body's task, for callers that know only the run and the fence.
Result<core::TaskId> RunReader::body_of(const core::RunRef& ref) {
  const auto stored = read_nodes(ref, {.from = core::kBodyKey, .nodes = 1});
  if (!stored) return stored.problem();
  const bool has_body = !stored->nodes.empty() && stored->nodes.front().task_id;
  if (has_body) return *stored->nodes.front().task_id;
  return core::Problem{.code = core::ProblemCode::invalid_state, .detail = "the run has no body yet"};
}

Result<engine::SharedPlan> RunReader::plan_of(const core::Run& run) {
  if (run.facts.version == 0) return engine::SharedPlan{};
  return guarded([&]() -> Result<engine::SharedPlan> {
    auto plan = plans_.find(run.facts.ns, run.facts.workflow, run.facts.version,
                            {.life = store_.life(), .record = [this](const core::RecordRef& ref) {
                               return store_.find_record(ref);
                             }});
    if (plan == nullptr) {
      return core::Problem{.code = core::ProblemCode::internal,
                           .detail = fmt::format("run {} has no definition", to_string(run.facts.id))};
    }
    return plan;
  });
}

Result<std::vector<core::RunId>> RunReader::list_ids(store::RunPage page, std::size_t limit) {
  return guarded([&]() -> Result<std::vector<core::RunId>> {
    std::vector<core::RunId> all;
    while (all.size() < limit) {
      page.limit = std::min<std::size_t>(core::kPageMax, limit - all.size());
      const auto runs = store_.list_runs(page);
      if (runs.empty()) break;
      page.after = runs.back().facts.id;
      for (const core::Run& run : runs) all.push_back(run.facts.id);
    }
    return all;
  });
}

}  // namespace pawl::runtime
