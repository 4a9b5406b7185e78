#include "engine/foresight.hpp"

#include <set>

#include "core/definition_record.hpp"
#include "core/step.hpp"
#include "core/worker.hpp"

namespace pawl::engine {

namespace {

class Foresight {
 public:
  explicit Foresight(const Waiters& waiters) : waiters_(waiters) {}

  void add(const WaitingClaim& waiting) {
    const core::ClaimTasks& claim = waiting.claim;
    for (const std::string& queue : claim.queues) queues_.insert({.ns = claim.ns, .name = queue});
    if (claim.held_max > 0) holders_.insert({.ns = claim.ns, .worker_id = claim.worker_id});
  }

  // The definition, or the offer of a worker, by which it is run; and its body, if it is one of code.
  void add(const core::StartRun& start) {
    if (!start.version) {
      records_.insert(core::definition_ref(start.ns, start.workflow));
      const bool is_told = start.kind == core::RunKind::code && start.queue;
      if (!is_told) records_.insert(core::code_workflow_ref(start.ns, start.workflow));
    }
    add_enqueued(start.ns, start.queue.value_or(std::string{core::kQueueDefault}),
                 core::body_type(start.workflow));
  }

  // A claim that waits for it is going to join.
  void add_enqueued(const std::string& ns, const std::string& queue, const std::string& type) {
    queues_.insert({.ns = ns, .name = queue});
    if (auto holder = waiters_.holder_of_first(ns, queue, type)) holders_.insert(std::move(*holder));
  }

  [[nodiscard]] store::Foreseen foreseen() const {
    return {.queues = {queues_.begin(), queues_.end()},
            .records = {records_.begin(), records_.end()},
            .holders = {holders_.begin(), holders_.end()}};
  }

 private:
  const Waiters& waiters_;
  std::set<store::QueueRef> queues_;
  std::set<core::RecordRef> records_;
  std::set<store::HolderRef> holders_;
};

bool is_same_start(const core::StartRun& a, const core::StartRun& b) {
  return a.workflow == b.workflow && a.ns == b.ns && a.queue == b.queue && a.version == b.version &&
         a.kind == b.kind;
}

}  // namespace

store::Foreseen foresee(const std::vector<const core::Command*>& commands, const Lanes& lanes,
                        std::span<const WaitingClaim> claims, const Waiters& waiters) {
  Foresight foresight{waiters};
  for (const auto& [key, lane] : lanes) foresight.add_enqueued(key.ns, key.queue, key.type);
  for (const WaitingClaim& waiting : claims) foresight.add(waiting);
  const core::StartRun* last = nullptr;  // consecutive starts are mostly of one kind
  for (const core::Command* command : commands) {
    const auto* start = std::get_if<core::StartRun>(command);
    if (start == nullptr || (last != nullptr && is_same_start(*last, *start))) continue;
    foresight.add(*start);
    last = start;
  }
  return foresight.foreseen();
}

}  // namespace pawl::engine
