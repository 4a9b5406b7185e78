#include "wire/access.hpp"

#include <array>
#include <optional>
#include <span>

namespace pawl::wire {

namespace {

// These show no data of any queue or namespace.
constexpr std::array kOpenCalls{Call::healthz, Call::readyz, Call::openapi, Call::home,
                                Call::dashboard_asset};

constexpr std::array kEnqueueCalls{Call::enqueue_task, Call::enqueue_tasks, Call::start_run};

constexpr std::array kClaimCalls{
    Call::claim_tasks,       Call::report_tasks,        Call::report_task,
    Call::append_checkpoint, Call::begin_idempotency,   Call::complete_idempotency,
    Call::fail_idempotency,  Call::register_worker,     Call::heartbeat_worker,
    Call::await_notices,     Call::deregister_worker,   Call::begin_step,
    Call::complete_step,     Call::fail_step,           Call::suspend_run,
    Call::write_steps,       Call::write_steps_of_many,
};
// A worker may also call these for the run whose body it holds.
constexpr std::array kReadOwnStepsCalls{Call::list_memo, Call::get_step};
// A lock belongs to the namespace: a claimer could take one that another queue's workers rely on.
constexpr std::array kLockCalls{Call::acquire_lock, Call::renew_lock, Call::release_lock};

constexpr std::array kReadTaskCalls{Call::get_task};
constexpr std::array kReadRunCalls{Call::get_run,    Call::await_run,    Call::list_run_events,
                                   Call::replay_run, Call::graph_of_run, Call::list_steps};
constexpr std::array kReadQueuesCalls{
    Call::list_tasks,       Call::list_queues,           Call::get_idempotency,
    Call::list_checkpoints, Call::summarize_checkpoints, Call::get_worker,
    Call::list_workers};

// For tokens of whole namespaces, or for operators. An open run accepts tasks of any queue.
constexpr std::array kWholeNamespaceCalls{
    Call::retry_task,       Call::cancel_task,       Call::retry_tasks,
    Call::cancel_tasks,     Call::put_queue,         Call::get_lock,
    Call::drain_worker,     Call::put_type,          Call::get_type,
    Call::list_types,       Call::delete_type,       Call::put_definition,
    Call::list_definitions, Call::get_definition,    Call::get_definition_version,
    Call::open_run,         Call::complete_run,      Call::list_runs,
    Call::retry_runs,       Call::cancel_runs,       Call::pause_run,
    Call::resume_run,       Call::cancel_run,        Call::retry_run,
    Call::compensate_run,   Call::terminate_run,     Call::skip_compensation,
    Call::rewind_run,       Call::signal_run,        Call::create_schedule,
    Call::list_schedules,   Call::get_schedule,      Call::update_schedule,
    Call::delete_schedule,  Call::pause_schedule,    Call::resume_schedule,
    Call::trigger_schedule, Call::backfill_schedule, Call::list_firings,
    Call::next_times,
};

constexpr std::array kSomeNamespacesCalls{Call::metrics,      Call::create_token, Call::list_tokens,
                                          Call::revoke_token, Call::rotate_token, Call::list_audit};
constexpr std::array kNamedNamespaceCalls{Call::get_namespace, Call::put_namespace};
constexpr std::array kAllNamespacesCalls{Call::list_nodes, Call::vitals, Call::sweep, Call::verify};

struct AccessGroup {
  std::span<const Call> calls;
  Access access;
};
constexpr std::array kAccessGroups{
    AccessGroup{kOpenCalls, {.queues = QueueReach::any, .enqueuer = true, .claimer = true}},
    AccessGroup{kEnqueueCalls, {.queues = QueueReach::compared, .enqueuer = true}},
    AccessGroup{kClaimCalls, {.queues = QueueReach::compared, .claimer = true}},
    AccessGroup{kReadOwnStepsCalls, {.queues = QueueReach::run, .claimer = true}},
    AccessGroup{kLockCalls, {.claimer = true}},
    AccessGroup{kReadTaskCalls, {.queues = QueueReach::task}},
    AccessGroup{kReadRunCalls, {.queues = QueueReach::run}},
    AccessGroup{kReadQueuesCalls, {.queues = QueueReach::compared}},
    AccessGroup{kWholeNamespaceCalls, {}},
    AccessGroup{kSomeNamespacesCalls, {.namespaces = NamespaceReach::some}},
    AccessGroup{kNamedNamespaceCalls, {.namespaces = NamespaceReach::named}},
    AccessGroup{kAllNamespacesCalls, {}},
};

using AccessRows = std::array<std::optional<Access>, kCallCount>;

constexpr AccessRows access_rows() {
  AccessRows rows{};
  for (const AccessGroup& group : kAccessGroups) {
    for (const Call call : group.calls) rows.at(static_cast<std::size_t>(call)) = group.access;
  }
  return rows;
}
constexpr AccessRows kAccessRows = access_rows();

constexpr bool has_each_call_once() {
  std::size_t count = 0;
  for (const AccessGroup& group : kAccessGroups) count += group.calls.size();
  for (const auto& row : kAccessRows) {
    if (!row) return false;
  }
  return count == kCallCount;
}
static_assert(has_each_call_once(), "a new call needs a row: what may narrower tokens do with it?");

}  // namespace

Access access_of(Call call) {
  const auto row = static_cast<std::size_t>(call);
  return row < kAccessRows.size() ? kAccessRows.at(row).value_or(Access{}) : Access{};
}

}  // namespace pawl::wire
