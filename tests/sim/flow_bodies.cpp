#include "tests/sim/flow_bodies.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pawl::sim {

using namespace std::chrono_literals;
using core::NodeState;
using core::Result;
using core::StepAction;
using core::StepKind;

namespace {

constexpr int kTries = 6;
constexpr int kWorkers = 3;

bool is_unknown(const Result<core::Answer>* answer) {
  return answer == nullptr || (!*answer && answer->problem().code == core::ProblemCode::unavailable);
}

// The number in an input such as {"n":7}.
std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

}  // namespace

Bodies::Bodies(const Options& options, Scheduler& scheduler, Cluster& cluster, FlowChecker& checker,
               Tally& tally, std::uint64_t seed)
    : options_(options),
      scheduler_(scheduler),
      cluster_(cluster),
      checker_(checker),
      tally_(tally),
      chance_(seed) {
  for (int i = 0; i < kWorkers; ++i) claim_later(fmt::format("b{}", i), chance_.between(0ms, 500ms));
}

std::vector<Bodies::Op> Bodies::ops_of(std::uint64_t seed) {
  Chance chance{seed * 2654435761U + 1};
  constexpr std::array kKinds{StepKind::function, StepKind::function, StepKind::function, StepKind::sleep,
                              StepKind::signal,   StepKind::child,    StepKind::task};
  std::vector<Op> ops;
  const int count = chance.between(1, 6);
  for (int i = 0; i < count; ++i) {
    const StepKind kind = kKinds.at(chance.index(kKinds.size()));
    ops.push_back({.kind = kind,
                   .id = fmt::format("{}{}", to_string(kind), i),
                   .is_undone = kind == StepKind::function && chance.happens(0.5)});
  }
  return ops;
}

void Bodies::claim_later(const std::string& worker, Duration delay) {
  scheduler_.after(delay, [this, worker] { claim(worker); });
}

void Bodies::claim(const std::string& worker) {
  core::ClaimTasks command{.worker_id = worker};
  command.queues = {kBodiesQueue};
  command.max = chance_.between(1, 4);
  command.lease = chance_.between(options_.lease_min, options_.lease_max);
  if (chance_.happens(options_.claim_wait)) command.wait = chance_.between(500ms, 5s);
  const Duration patience = command.wait + kPatience;
  cluster_.send(std::move(command), patience, [this, worker](const Result<core::Answer>* answer) {
    if (answer != nullptr && answer->ok()) {
      for (const core::ClaimedTask& one : std::get<std::vector<core::ClaimedTask>>(**answer))
        begin(worker, one);
    }
    claim_later(worker, chance_.between(20ms, 300ms));
  });
}

void Bodies::begin(const std::string& worker, const core::ClaimedTask& claimed) {
  checker_.on_execution(claimed, worker);
  const auto body = std::make_shared<Body>();
  const std::uint64_t seed = number_in(claimed.task.payload.text);
  body->worker = worker;
  body->claimed = claimed;
  body->ops = ops_of(seed);
  body->throws = seed % 4 == 0;
  body->is_stopped = claimed.memo->stop.has_value();
  for (const core::StepMemo& step : claimed.memo->steps) body->steps.emplace(step.step_id, step);
  ++running_;
  beat(body);
  go_on(body);
}

void Bodies::end(const BodyPtr& body) {
  if (std::exchange(body->is_ended, true)) return;
  --running_;
}

void Bodies::beat(const BodyPtr& body) {
  const Duration lease = body->claimed.task.lease->expires_at - body->claimed.task.lease->acquired_at;
  scheduler_.after(lease / 3, [this, body] {
    if (body->is_ended) return;
    if (fails(options_.no_heartbeat)) return;  // no heartbeats from now on
    core::ReportTasks command{.worker_id = body->worker};
    command.reports.push_back({.task_id = body->claimed.task.id, .fence = body->claimed.task.lease->fence});
    cluster_.send(std::move(command), kPatience, [](const auto*) {});
    beat(body);
  });
}

// Between any two steps a body may die, or freeze for longer than its lease and then continue as if nothing
// had happened.
void Bodies::go_on(const BodyPtr& body) {
  if (body->is_ended) return;
  if (fails(options_.death)) {
    tally_.landed(Fault::handler_died);
    return end(body);
  }
  Duration pause = chance_.between(1ms, 300ms);
  if (fails(options_.pause)) {
    tally_.landed(Fault::handler_paused);
    pause = options_.lease_max + chance_.between(100ms, 5s);
  }
  scheduler_.after(pause, [this, body] {
    if (!body->is_ended) advance(body);
  });
}

const core::StepMemo* Bodies::find(const Body& body, const std::string& id) {
  const auto found = body.steps.find(id);
  return found == body.steps.end() ? nullptr : &found->second;
}

void Bodies::advance(const BodyPtr& body) {
  if (body->is_stopped) return undo(body);
  for (const Op& op : body->ops) {
    if (advance(body, op)) return;
  }
  if (body->throws) return undo(body);
  end_with(body, core::ReportAction::complete, kTries);
}

bool Bodies::advance(const BodyPtr& body, const Op& op) {
  const core::StepMemo* step = find(*body, op.id);
  if (step != nullptr && step->state == NodeState::completed) return false;
  if (step != nullptr && step->state == NodeState::failed) {
    const bool is_let_pass = op.kind != StepKind::function;  // a timeout, or a failed task or child
    if (is_let_pass) return false;
    undo(body);
    return true;
  }
  if (step != nullptr && step->state == NodeState::cancelled) return false;
  if (op.kind != StepKind::function) {
    wait_for(body, op, step != nullptr && step->state != NodeState::blocked);
    return true;
  }
  if (step != nullptr && step->state == NodeState::pending && step->due_at) {
    core::WriteSteps command{.suspend = core::SuspendBody{.until = step->due_at}};
    body->steps.erase(op.id);  // retried by the next holder
    write(body, std::move(command), kTries);
    return true;
  }
  execute(body, op.id, StepKind::function);
  return true;
}

void Bodies::execute(const BodyPtr& body, const std::string& step_id, StepKind kind) {
  checker_.on_step(body->claimed, step_id);
  core::StepWrite one{.action = StepAction::complete, .step_id = step_id, .kind = kind};
  one.retry = core::RetryPolicy{.max_attempts = 3, .initial_interval = 500ms};
  one.output = {fmt::format(R"({{"fence":{},"by":"{}"}})", body->claimed.task.lease->fence, body->worker)};
  const bool is_undoing = kind == StepKind::compensation;
  if (fails(is_undoing ? options_.fail_final / 4 : options_.fail / 3)) {
    one.action = StepAction::fail;
    one.output = {};
    one.error = {.code = "boom", .message = "it went wrong", .retryable = !chance_.happens(0.3)};
  }
  core::WriteSteps command;
  command.steps.push_back(std::move(one));
  scheduler_.after(chance_.between(1ms, 400ms), [this, body, command = std::move(command)] {
    if (!body->is_ended) write(body, command, kTries);
  });
}

void Bodies::wait_for(const BodyPtr& body, const Op& op, bool is_begun) {
  core::WriteSteps command{.suspend = core::SuspendBody{.steps = {op.id}}};
  core::StepWrite one{.action = StepAction::begin, .step_id = op.id, .kind = op.kind};
  switch (op.kind) {
    case StepKind::sleep: one.wait = chance_.between(100ms, 20s); break;
    case StepKind::signal:
      one.signal = "s";
      one.wait = 30s;
      break;
    case StepKind::child:
      one.child = core::ChildSpec{.workflow = "leaf", .input = {"{}"}, .queue = "q0"};
      break;
    default: {
      core::TaskSpec task{.type = "t0"};
      task.queue = "q0";
      task.retry.max_attempts = 2;
      one.task = std::move(task);
    }
  }
  if (!is_begun) command.steps.push_back(std::move(one));
  write(body, std::move(command), kTries);
}

// Undoes the steps in reverse order, then fails the body.
void Bodies::undo(const BodyPtr& body) {
  for (auto op = body->ops.rbegin(); op != body->ops.rend(); ++op) {
    const core::StepMemo* done = find(*body, op->id);
    if (!op->is_undone || done == nullptr || done->state != NodeState::completed) continue;
    const std::string id = "undo-" + op->id;
    const core::StepMemo* undone = find(*body, id);
    if (undone != nullptr && undone->state == NodeState::completed) continue;
    if (undone != nullptr && undone->state == NodeState::failed) break;
    return execute(body, id, StepKind::compensation);
  }
  end_with(body, core::ReportAction::fail, kTries);
}

void Bodies::end_with(const BodyPtr& body, core::ReportAction action, int tries_left) {
  core::Report last{
      .task_id = body->claimed.task.id, .fence = body->claimed.task.lease->fence, .action = action};
  last.output = {"7"};
  last.error = {.code = "boom", .message = "the body failed", .retryable = false};
  core::ReportTasks command{.worker_id = body->worker};
  command.reports.push_back(std::move(last));
  cluster_.send(std::move(command), kPatience,
                [this, body, action, tries_left](const Result<core::Answer>* answer) {
                  if (body->is_ended) return;
                  if (!is_unknown(answer) || tries_left == 0) return end(body);
                  end_with(body, action, tries_left - 1);
                });
}

void Bodies::write(const BodyPtr& body, core::WriteSteps command, int tries_left) {
  command.run_id = *body->claimed.task.run_id;
  command.body = body->claimed.task.id;
  command.fence = body->claimed.task.lease->fence;
  cluster_.send(command, kPatience, [this, body, command, tries_left](const Result<core::Answer>* answer) {
    if (body->is_ended) return;
    if (is_unknown(answer)) {
      if (tries_left == 0) return end(body);
      return write(body, command, tries_left - 1);
    }
    if (!*answer) return end(body);  // the lease is lost
    note(body, std::get<core::StepsWritten>(**answer));
  });
}

void Bodies::note(const BodyPtr& body, const core::StepsWritten& written) {
  if (written.is_suspended) return end(body);
  if (written.stop) body->is_stopped = true;
  for (const core::StepAnswer& step : written.steps) body->steps.insert_or_assign(step.step_id, step.now);
  go_on(body);
}

}  // namespace pawl::sim
