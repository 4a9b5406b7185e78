#include "tests/sim/workers.hpp"

#include <utility>

namespace pawl::sim {

using namespace std::chrono_literals;
using core::Report;
using core::ReportAction;
using core::Result;
using core::TaskStatus;

namespace {

constexpr int kTriesOfAFinalReport = 6;

}  // namespace

Workers::Workers(const Options& options, Scheduler& scheduler, Cluster& cluster, Watcher& watcher,
                 Tally& tally, std::uint64_t seed)
    : options_(options),
      scheduler_(scheduler),
      cluster_(cluster),
      watcher_(watcher),
      tally_(tally),
      chance_(seed) {
  for (int i = 0; i < options.workers; ++i) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.index = i;
    worker.name = "w" + std::to_string(++names_);
    claim_later(worker, chance_.between(0ms, 500ms));
  }
}

void Workers::claim_later(Worker& worker, Duration delay) {
  if (worker.is_claiming || worker.busy >= options_.slots) return;
  worker.is_claiming = true;
  scheduler_.after(delay, [this, &worker, incarnation = worker.incarnation] {
    if (worker.incarnation == incarnation) claim(worker);
  });
}

void Workers::claim(Worker& worker) {
  core::ClaimTasks command;
  command.worker_id = worker.name;
  command.max = chance_.between(1, options_.slots - worker.busy);
  if (fails(options_.invalid)) command.max = 0;
  command.lease = chance_.between(options_.lease_min, options_.lease_max);
  if (chance_.happens(options_.claim_wait)) command.wait = chance_.between(500ms, 10s);
  command.queues.clear();
  for (int i = 0; i < options_.queues; ++i) {
    if (chance_.happens(0.8)) command.queues.push_back("q" + std::to_string(i));
  }
  if (command.queues.empty())
    command.queues.push_back("q" + std::to_string(chance_.between(0, options_.queues - 1)));
  if (chance_.happens(0.15)) command.types = {"t" + std::to_string(chance_.between(0, 2)), "t0"};
  const Duration patience = command.wait + kPatience;
  cluster_.send(std::move(command), patience,
                [this, &worker, incarnation = worker.incarnation](const Result<core::Answer>* answer) {
                  if (worker.incarnation == incarnation) on_claimed(worker, answer);
                });
}

void Workers::on_claimed(Worker& worker, const Result<core::Answer>* answer) {
  worker.is_claiming = false;
  if (answer == nullptr || !*answer) return claim_later(worker, chance_.between(50ms, 500ms));
  const auto& claimed = std::get<std::vector<core::ClaimedTask>>(**answer);
  for (const core::ClaimedTask& one : claimed) begin(worker, one);
  if (fails(options_.worker_death)) return die(worker);
  claim_later(worker, claimed.empty() ? chance_.between(100ms, 1s) : chance_.between(1ms, 20ms));
}

void Workers::die(Worker& worker) {
  tally_.landed(Fault::worker_died);
  ++worker.incarnation;
  handlers_ -= worker.busy;
  worker.busy = 0;
  worker.reports.clear();
  worker.is_flush_due = false;
  worker.is_claiming = false;
  // Half of the workers restart under their old name, as with a host name: fences must distinguish the two.
  if (chance_.happens(0.5)) worker.name = "w" + std::to_string(++names_);
  claim_later(worker, chance_.between(100ms, 5s));
}

Duration Workers::work_time(const Handler& handler) {
  if (chance_.happens(0.7)) return chance_.between(10ms, 500ms);
  if (chance_.happens(0.8)) return chance_.between(500ms, 3s);
  return chance_.between(handler.lease / 2, handler.lease * 5 / 2);
}

void Workers::begin(Worker& worker, const core::ClaimedTask& claimed) {
  watcher_.on_execution(claimed, worker.name);
  const auto handler = std::make_shared<Handler>();
  handler->worker = &worker;
  handler->incarnation = worker.incarnation;
  handler->task = claimed.task.id;
  handler->fence = claimed.task.lease->fence;
  handler->lease = claimed.task.lease->expires_at - claimed.task.lease->acquired_at;
  ++worker.busy;
  ++handlers_;
  if (!fails(options_.no_start)) {
    const int starts = chance_.happens(0.03) ? 2 : 1;
    for (int i = 0; i < starts; ++i) {
      report(worker, {.task_id = handler->task, .fence = handler->fence, .action = ReportAction::start},
             [this, handler](const auto* answer) { heard_back(handler, answer); });
    }
  }
  const Duration duration = work_time(*handler);
  const bool may_beat = !fails(options_.no_heartbeat);
  if (may_beat) scheduler_.after(handler->lease / 3, [this, handler] { beat(handler); });
  if (fails(options_.death)) {
    tally_.landed(Fault::handler_died);
    scheduler_.after(chance_.between(0us, duration), [this, handler] { end(handler); });
    return;
  }
  scheduler_.after(duration, [this, handler] { finish(handler); });
}

void Workers::beat(const HandlerPtr& handler) {
  if (!is_alive(*handler) || handler->is_stopped) return;
  Report heartbeat{.task_id = handler->task, .fence = handler->fence, .action = ReportAction::heartbeat};
  if (chance_.happens(0.2)) {
    handler->lease = chance_.between(options_.lease_min, options_.lease_max);
    heartbeat.lease = handler->lease;
  }
  report(*handler->worker, std::move(heartbeat),
         [this, handler](const auto* answer) { heard_back(handler, answer); });
  scheduler_.after(handler->lease / 3, [this, handler] { beat(handler); });
}

void Workers::heard_back(const HandlerPtr& handler, const Result<core::ReportAnswer>* answer) {
  if (answer == nullptr || !is_alive(*handler) || handler->is_stopped) return;
  const bool is_lost = !answer->ok() && answer->problem().code != core::ProblemCode::unavailable;
  if (is_lost && chance_.happens(0.5)) return end(handler);  // the others continue as zombies
  const bool is_cancelled = answer->ok() && (*answer)->cancel_requested;
  if (is_cancelled && !chance_.happens(options_.ignore_cancel)) stop(handler);
}

// The handler was asked to stop: it fails or releases the task, and either way the task is canceled.
void Workers::stop(const HandlerPtr& handler) {
  handler->is_stopped = true;
  Report last{.task_id = handler->task, .fence = handler->fence, .action = ReportAction::release};
  if (chance_.happens(0.5)) {
    last.action = ReportAction::fail;
    last.error = {.code = "stopped", .message = "asked to stop"};
  }
  send_final(handler, last, kTriesOfAFinalReport);
}

void Workers::finish(const HandlerPtr& handler) {
  if (!is_alive(*handler) || handler->is_stopped) return;
  if (!fails(options_.pause)) return send_final(handler, final_report(*handler), kTriesOfAFinalReport);
  tally_.landed(Fault::handler_paused);
  handler->is_stopped = true;  // no heartbeats while it is frozen
  const Duration pause = handler->lease + chance_.between(handler->lease / 10, handler->lease * 2);
  scheduler_.after(pause, [this, handler] {
    if (!is_alive(*handler)) return;
    if (chance_.happens(0.3)) {
      report(*handler->worker, {.task_id = handler->task, .fence = handler->fence}, [](const auto*) {});
    }
    send_final(handler, final_report(*handler), kTriesOfAFinalReport);
  });
}

Report Workers::final_report(const Handler& handler) {
  Report last{.task_id = handler.task, .fence = handler.fence, .action = ReportAction::complete};
  last.output.text = "{\"fence\":" + std::to_string(handler.fence) + "}";
  if (fails(options_.release)) {
    last.action = ReportAction::release;
  } else if (fails(options_.fail + options_.fail_final)) {
    last.action = ReportAction::fail;
    last.error = {.code = chance_.happens(0.15) ? "fatal" : "boom", .message = "it went wrong"};
    last.error.retryable = !chance_.happens(options_.fail_final / (options_.fail + options_.fail_final));
    if (chance_.happens(0.1)) last.retry_after = chance_.between(0ms, 5s);
  }
  return last;
}

void Workers::send_final(const HandlerPtr& handler, const Report& last, int tries_left) {
  if (!is_alive(*handler)) return;
  report(*handler->worker, last, [this, handler, last, tries_left](const Result<core::ReportAnswer>* answer) {
    const bool is_unknown =
        answer == nullptr || (!answer->ok() && answer->problem().code == core::ProblemCode::unavailable);
    if (is_unknown && tries_left > 1) {
      scheduler_.after(chance_.between(20ms, 400ms),
                       [this, handler, last, tries_left] { send_final(handler, last, tries_left - 1); });
      return;
    }
    if (!is_unknown && answer->ok() &&
        ((*answer)->status == TaskStatus::failed || (*answer)->status == TaskStatus::dead_letter)) {
      ended_badly_.push_back(handler->task);
    }
    end(handler);
  });
}

void Workers::end(const HandlerPtr& handler) {
  if (!is_alive(*handler)) return;
  handler->is_ended = true;
  --handler->worker->busy;
  --handlers_;
  claim_later(*handler->worker, chance_.between(1ms, 10ms));
}

void Workers::report(Worker& worker, Report report, Heard heard) {
  worker.reports.push_back({.report = std::move(report), .heard = std::move(heard)});
  if (std::exchange(worker.is_flush_due, true)) return;
  scheduler_.after(chance_.between(0ms, 15ms), [this, &worker, incarnation = worker.incarnation] {
    if (worker.incarnation == incarnation) flush(worker);
  });
}

void Workers::flush(Worker& worker) {
  worker.is_flush_due = false;
  std::vector<PendingReport> pending = std::exchange(worker.reports, {});
  core::ReportTasks command{.worker_id = worker.name};
  std::vector<Heard> heard;
  for (PendingReport& one : pending) {
    command.reports.push_back(std::move(one.report));
    heard.push_back(std::move(one.heard));
  }
  cluster_.send(std::move(command), kPatience,
                [heard = std::move(heard)](const Result<core::Answer>* answer) {
                  for (std::size_t i = 0; i < heard.size(); ++i) {
                    if (answer == nullptr) {
                      heard[i](nullptr);
                    } else if (!*answer) {
                      const Result<core::ReportAnswer> problem{answer->problem()};
                      heard[i](&problem);
                    } else {
                      heard[i](&std::get<std::vector<Result<core::ReportAnswer>>>(**answer)[i]);
                    }
                  }
                });
}

}  // namespace pawl::sim
