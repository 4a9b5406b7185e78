#include "engine/prefetch_hints.hpp"

#include <algorithm>
#include <set>

#include "core/definition/definition_record.hpp"
#include "core/records/worker.hpp"
#include "core/run/step.hpp"
#include "engine/claim_round.hpp"

namespace pawl::engine {

namespace {

std::string queue_of(const core::StartRun& start) {
  return start.queue.value_or(std::string{core::kQueueDefault});
}

// Adds the records that decide how a start runs: the definition, or the offer of a worker.
void add_records(const core::StartRun& start, std::set<core::RecordRef>& records) {
  if (start.version) return;
  records.insert(core::definition_ref(start.ns, start.workflow));
  const bool is_declared = start.kind == core::RunKind::code && start.queue;
  if (!is_declared) records.insert(core::code_workflow_ref(start.ns, start.workflow));
}

bool is_plain(const core::TaskSpec& spec) {
  return !spec.key && !spec.idempotency_key && !spec.run_id && !spec.fairness_key;
}

// The worker with the claim that will probably join the group. The store locks its record first, while groups
// lock it last: to avoid deadlocks, only for a group that probably locks nothing else.
std::optional<store::HolderRef> holder_of(const GroupToRun& group, const Waiters& waiters) {
  if (group.commands.size() != 1 || group.onces.front() != nullptr || !group.claims.empty())
    return std::nullopt;
  if (const auto* start = std::get_if<core::StartRun>(group.commands.front())) {
    if (start->run_key) return std::nullopt;
    return waiters.holder_of_first(start->ns, queue_of(*start), core::body_type(start->workflow));
  }
  const auto* enqueue = std::get_if<core::EnqueueTasks>(group.commands.front());
  if (enqueue == nullptr || enqueue->tasks.size() != 1 || !is_plain(enqueue->tasks.front()))
    return std::nullopt;
  const core::TaskSpec& spec = enqueue->tasks.front();
  return waiters.holder_of_first(enqueue->ns, spec.queue, spec.type);
}

bool may_be_repeated(const core::Command& command) {
  const auto is_harmless = [](const core::WriteSteps& write) {
    return core::may_be_repeated(write) && !write.suspend && !write.park;
  };
  if (const auto* steps = std::get_if<core::WriteSteps>(&command)) return is_harmless(*steps);
  if (const auto* many = std::get_if<core::WriteStepsOfMany>(&command))
    return std::all_of(many->writes.begin(), many->writes.end(), is_harmless);
  const auto* reports = std::get_if<core::ReportTasks>(&command);
  return reports != nullptr &&
         std::all_of(reports->reports.begin(), reports->reports.end(), [](const core::Report& report) {
           return report.action == core::ReportAction::complete;
         });
}

}  // namespace

store::Hints prefetch_hints(const GroupToRun& group, const Waiters& waiters, store::Store& store) {
  std::set<store::QueueRef> queues;
  for (const auto& [key, lane] : group.lanes) queues.insert({.ns = key.ns, .name = key.queue});
  for (const WaitingClaim& waiting : group.claims) {
    if (!may_find(store, waiting.claim)) continue;
    for (const std::string& queue : waiting.claim.queues)
      queues.insert({.ns = waiting.claim.ns, .name = queue});
  }
  std::set<core::RecordRef> records;
  for (const core::Command* command : group.commands) {
    const auto* start = std::get_if<core::StartRun>(command);
    if (start == nullptr) continue;
    add_records(*start, records);
    queues.insert({.ns = start->ns, .name = queue_of(*start)});
  }
  return {.queues = {queues.begin(), queues.end()},
          .records = {records.begin(), records.end()},
          .holder = holder_of(group, waiters),
          .may_be_repeated = std::all_of(group.commands.begin(), group.commands.end(),
                                         [](const core::Command* one) { return may_be_repeated(*one); })};
}

}  // namespace pawl::engine
