#include "runtime/local_worker_api.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace pawl::runtime {

using core::Result;
using core::Status;

namespace {

// How often a registration is tried if another one of the same process was faster.
constexpr int kTriesMax = 10;
// The ticker ends waits; it may be late by this much.
constexpr core::Duration kTickerLate = std::chrono::seconds{1};

}  // namespace

Result<core::Worker> LocalWorkerApi::register_worker(const core::RegisterWorker& request) {
  if (const Status valid = check(request); !valid) return valid.problem();
  core::Registration registration{.request = request};
  registration.request.timeout = options_.worker_timeout;
  registration.worker_id = request.worker_id ? *request.worker_id : to_string(ids_.next(clock_.now()));
  const bool is_incarnation = !request.worker_id && !request.hostname.empty();
  for (int tries = 1;; ++tries) {
    core::ChangeRecords command;
    if (is_incarnation) {
      const auto seen =
          records_.find(core::worker_process_ref(request.ns, request.by.id, request.hostname, request.pid));
      if (!seen) return seen.problem();
      registration.replaces = std::nullopt;
      if (seen->record) registration.replaces = core::process_worker_id(*seen->record);
    }
    command.refs = registration.refs();
    command.decide = [registration](core::FoundRecords found, core::TimePoint now) {
      return core::decide_register(registration, found, now);
    };
    auto answer = records_.change(std::move(command));
    const bool is_overtaken = !answer && answer.problem().code == core::ProblemCode::conflict;
    if (is_overtaken && tries < kTriesMax) continue;
    if (!answer) return answer.problem();
    if (registration.replaces && !caller_.is_replayed()) {  // a replay finds its own registration
      const Status evicted = evict(request.ns, *registration.replaces, core::Eviction::recover);
      if (!evicted) return evicted.problem();
    }
    return core::worker_from(answer->body);
  }
}

Status LocalWorkerApi::evict(const std::string& ns, const std::string& worker_id, core::Eviction eviction) {
  while (true) {
    auto held = tasks_.held_by(ns, worker_id);
    if (!held) return held.problem();
    if (held->empty()) return core::Done{};
    const auto evicted = records_.change(
        {.decide =
             [eviction](core::FoundRecords, core::TimePoint) {
               return Result<core::RecordDecision>{core::RecordDecision{.eviction = eviction}};
             },
         .held = {.ns = ns, .worker_id = worker_id, .ids = std::move(*held)}});
    if (!evicted) return evicted.problem();
    // The read was out of date: none of the listed tasks is still held.
    if (evicted->evicted == 0) return core::Done{};
  }
}

Status LocalWorkerApi::renew_leases(const core::HeartbeatWorker& request) {
  core::ListTasks list{.query = {.ns = request.ns,
                                 .statuses = {core::TaskStatus::claimed, core::TaskStatus::running},
                                 .worker_id = request.worker_id},
                       .limit = core::kPageMax};
  while (true) {
    const auto page = tasks_.list(list);
    if (!page) return page.problem();
    core::ReportTasks reports{.ns = request.ns, .worker_id = request.worker_id};
    for (const core::Task& task : page->items) {
      if (task.lease) reports.reports.push_back({.task_id = task.id, .fence = task.lease->fence});
    }
    if (!reports.reports.empty()) {
      const auto renewed =
          caller_.call(std::move(reports));  // a lease that was lost meanwhile is not renewed
      if (!renewed) return renewed.problem();
    }
    if (!page->next_cursor) return core::Done{};
    list.cursor = *page->next_cursor;
  }
}

Result<core::Worker> LocalWorkerApi::heartbeat_worker(const core::HeartbeatWorker& request) {
  core::HeartbeatWorker heartbeat = request;
  heartbeat.timeout = options_.worker_timeout;
  auto answer = records_.decide_on({core::worker_ref(request.ns, request.worker_id)}, heartbeat,
                                   core::decide_heartbeat);
  if (!answer) return answer.problem();
  if (request.renew_leases) {
    if (const Status renewed = renew_leases(request); !renewed) return renewed.problem();
  }
  return core::worker_from(*answer);
}

Result<core::Worker> LocalWorkerApi::drain_worker(const core::WorkerRef& request) {
  auto answer =
      records_.decide_on({core::worker_ref(request.ns, request.worker_id)}, request, core::decide_drain);
  if (!answer) return answer.problem();
  return core::worker_from(*answer);
}

Result<core::Done> LocalWorkerApi::deregister_worker(const core::WorkerRef& request) {
  if (const Status valid = check(request); !valid) return valid.problem();
  const auto worker = get_worker(request.ns, request.worker_id);
  if (!worker) return worker.problem();
  auto held = tasks_.held_by(request.ns, request.worker_id);
  if (!held) return held.problem();
  const auto deregistered = records_.change(
      {.refs = core::worker_refs(request.ns, *worker),
       .decide = [request](core::FoundRecords found,
                           core::TimePoint now) { return core::decide_deregister(request, found, now); },
       .held = {.ns = request.ns, .worker_id = request.worker_id, .ids = std::move(*held)}});
  if (!deregistered) return deregistered.problem();
  return evict(request.ns, request.worker_id, core::Eviction::release);
}

Result<core::Worker> LocalWorkerApi::get_worker(const std::string& ns, const std::string& worker_id) {
  const auto found = records_.find(core::worker_ref(ns, worker_id));
  if (!found) return found.problem();
  if (!found->record)
    return core::Problem{.code = core::ProblemCode::not_found, .detail = "there is no worker " + worker_id};
  return core::worker_at(*found->record, found->now);
}

Result<std::vector<core::TaskId>> LocalWorkerApi::await_notices(const core::AwaitNotices& request) {
  if (const Status valid = check(request); !valid) return valid.problem();
  if (subscriptions_.notices == nullptr)
    return core::Problem{.code = core::ProblemCode::unavailable, .detail = "this node sends no notices"};
  struct Reply {
    std::mutex mutex;
    std::condition_variable arrived;
    std::optional<std::vector<core::TaskId>> tasks;
  };
  auto reply = std::make_shared<Reply>();  // shared with the engine, which may reply after the wait
  subscriptions_.notices->wait(
      {.ns = request.ns, .worker_id = request.worker_id, .until = clock_.monotonic() + request.wait},
      [reply](std::vector<core::TaskId> tasks) {
        const std::lock_guard lock{reply->mutex};
        reply->tasks = std::move(tasks);
        reply->arrived.notify_all();
      });
  std::unique_lock lock{reply->mutex};
  reply->arrived.wait_for(lock, request.wait + kTickerLate, [&] { return reply->tasks.has_value(); });
  return reply->tasks.value_or(std::vector<core::TaskId>{});
}

Result<core::Page<core::Worker>> LocalWorkerApi::list_workers(const core::ListRecords& list) {
  const auto found = records_.list(core::RecordKind::worker, list.ns, list);
  if (!found) return found.problem();
  core::Page<core::Worker> page{.next_cursor = found->next_cursor};
  for (const core::Record& record : found->records) page.items.push_back(core::worker_at(record, found->now));
  return page;
}

}  // namespace pawl::runtime
