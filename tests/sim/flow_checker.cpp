#include "tests/sim/flow_checker.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/verify.hpp"

namespace pawl::sim {

using core::RunEventType;
using core::RunId;
using core::RunState;

namespace {

// A failed run may be retried or undone by an operator; the other closed states are final.
bool is_final(RunState state) { return core::is_closed(state) && state != RunState::failed; }

// An operator may retry failed compensations. A timer may stop the remaining tasks after the run ended, which
// does not change the run.
bool may_follow(RunState state, RunEventType type) {
  if (!is_final(state) || type == RunEventType::timer_fired) return true;
  return state == RunState::compensation_failed && type == RunEventType::workflow_retried;
}

bool has(const std::vector<core::StepMemo>& steps, const std::string& id) {
  return std::any_of(steps.begin(), steps.end(), [&](const core::StepMemo& step) {
    return step.step_id == id && step.state == core::NodeState::completed;
  });
}

}  // namespace

FlowTally& FlowTally::operator+=(const FlowTally& other) {
  flows += other.flows;
  commits += other.commits;
  steps += other.steps;
  replays += other.replays;
  repeated += other.repeated;
  add(ended, other.ended);
  add(events, other.events);
  add(faults, other.faults);
  return *this;
}

std::vector<std::string> gaps(const FlowTally& tally) {
  std::vector<std::string> missing;
  const auto want = [&](std::int64_t count, const std::string& what) {
    if (count == 0) missing.push_back(what);
  };
  for (int i = 0; i < core::kRunStateCount; ++i) {
    const auto state = static_cast<RunState>(i);
    if (core::is_closed(state))
      want(tally.ended.at(static_cast<std::size_t>(i)), fmt::format("a run that ended {}", to_string(state)));
  }
  for (int i = 0; i < core::kRunEventTypeCount; ++i) {
    const auto type = static_cast<RunEventType>(i);
    // No simulated client writes checkpoints, and no run lasts long enough to be stuck.
    if (type == RunEventType::checkpoint_written || type == RunEventType::recovery_started) continue;
    want(tally.events.at(static_cast<std::size_t>(i)), fmt::format("the event {}", to_string(type)));
  }
  for (std::size_t i = 0; i < kFaultNames.size(); ++i)
    want(tally.faults.at(i), fmt::format("the fault {}", kFaultNames.at(i)));
  want(tally.replays, "a body that went on from its steps");
  want(tally.repeated, "a start that was sent again");
  return missing;
}

std::string account(const FlowTally& tally) {
  std::int64_t faults = 0;
  for (const std::int64_t count : tally.faults) faults += count;
  std::string text = fmt::format(
      "{} workflows, {} commits, {} steps by bodies ({} bodies went on from steps that were kept), {} "
      "faults\n",
      tally.flows, tally.commits, tally.steps, tally.replays, faults);
  for (int i = 0; i < core::kRunStateCount; ++i) {
    const std::int64_t count = tally.ended.at(static_cast<std::size_t>(i));
    if (count > 0) text += fmt::format("  {:<20} {}\n", to_string(static_cast<RunState>(i)), count);
  }
  return text;
}

void FlowChecker::broken(std::string invariant, std::string what, const RunId& run) {
  throw FlowViolation{.invariant = std::move(invariant), .what = std::move(what), .run = run};
}

void FlowChecker::on_commit(const store::WriteSet& writes, const StoreTime& time) {
  ++tally_.commits;
  for (const store::RunWrite& write : writes.runs) {
    const RunId id = write.run->facts.id;
    const auto [entry, is_new] = flows_.try_emplace(id);
    Flow& flow = entry->second;
    if (is_new) {
      known_.push_back(id);
      ++open_;
      ++tally_.flows;
    }
    if (write.sequence_before != flow.sequence)
      broken("I19", fmt::format("written at {}, is at {}", write.sequence_before, flow.sequence), id);
    const RunState before = flow.state;
    for (const store::RunWrite::Event& event : write.events) follow(id, flow, *event.event, time.now);
    flow.state = write.run->state;
    if (write.run->sequence != flow.sequence) broken("I20", "the row is not at its last event", id);
    const bool was_open = is_new || !core::is_closed(before);
    if (was_open && core::is_closed(flow.state)) --open_;
    if (!was_open && !core::is_closed(flow.state)) ++open_;
    if (core::is_closed(flow.state) && (was_open || before != flow.state))
      ++tally_.ended.at(static_cast<std::size_t>(flow.state));
  }
  for (const store::TaskWrite& write : writes.tasks) {
    const core::TaskRecord& record = *write.record;
    if (!record.facts.run || !record.lease) continue;
    const auto flow = flows_.find(record.facts.run->run_id);
    if (flow == flows_.end()) broken("I02", "a task of no run", record.facts.run->run_id);
    const bool is_claim = write.from != core::Place::leased;
    if (is_claim && core::is_closed(flow->second.state))
      broken("I34", fmt::format("a task was claimed after the run was {}", to_string(flow->second.state)),
             flow->first);
    if (!core::is_body_type(record.lane->type)) continue;
    kept_at_claim_.try_emplace({record.id, record.progress.fence}, flow->second.steps_done.size());
  }
}

void FlowChecker::follow(const RunId& id, Flow& flow, const core::RunEvent& event, core::TimePoint now) {
  if (event.sequence != flow.sequence + 1)
    broken("I19", fmt::format("event {} after {}", event.sequence, flow.sequence), id);
  if (!may_follow(flow.state, event.type))
    broken("I07", fmt::format("{} after it was {}", to_string(event.type), to_string(flow.state)), id);
  flow.sequence = event.sequence;
  ++tally_.events.at(static_cast<std::size_t>(event.type));
  history_.mix(static_cast<std::uint64_t>(event.sequence));
  history_.mix(to_string(event.type));
  const core::RunEventData& data = event.data;
  switch (event.type) {
    case RunEventType::step_completed:
    case RunEventType::compensation_completed: {
      if (data.kind && *data.kind == core::StepKind::task) break;
      const auto [known, is_first] = flow.outputs.try_emplace(data.node_id, data.output.text);
      if (!is_first && event.type == RunEventType::step_completed)
        broken("I25", fmt::format("step {} was completed twice", data.node_id), id);
      if (is_first) flow.steps_done.push_back(data.node_id);
      break;
    }
    case RunEventType::workflow_retried:
      if (is_final(flow.state)) flow.state = RunState::compensating;
      break;
    case RunEventType::signal_consumed:
      if (!flow.signals_read.insert(data.signal_sequence).second)
        broken("I35", fmt::format("signal {} was read twice", data.signal_sequence), id);
      break;
    case RunEventType::timer_set:
      if (data.node && data.until) flow.timers.insert_or_assign(*data.node, *data.until);
      break;
    case RunEventType::timer_fired: {
      const auto timer = data.node ? flow.timers.find(*data.node) : flow.timers.end();
      if (timer == flow.timers.end()) broken("I36", "a timer fired that was never set", id);
      if (timer->second > now) broken("I36", "a timer fired before its time", id);
      flow.timers.erase(timer);
      break;
    }
    default: break;
  }
}

void FlowChecker::on_answer(Call& call, const core::Result<core::Answer>& answer) {
  const auto* start = std::get_if<core::StartRun>(&call.command);
  if (start == nullptr || !answer) return;
  const auto& started = std::get<core::RunStarted>(*answer);
  const RunId id = started.run.facts.id;
  if (!flows_.contains(id)) broken("I41", "acknowledged before its commit", id);
  if (!start->run_key) return;
  const auto [known, is_first] = keys_.try_emplace(*start->run_key, id);
  if (known->second != id) broken("I32", fmt::format("two runs have the key {}", *start->run_key), id);
  if (!is_first) ++tally_.repeated;
}

void FlowChecker::on_execution(const core::ClaimedTask& claimed, const std::string& /*worker*/) {
  if (!claimed.memo) return;
  const RunId run = *claimed.task.run_id;
  const auto kept = kept_at_claim_.find({claimed.task.id, claimed.task.lease->fence});
  if (kept == kept_at_claim_.end())
    broken("I41", "a body was handed out before the commit of its claim", run);
  const Flow& flow = flows_.at(run);
  for (std::size_t i = 0; i < kept->second; ++i) {
    if (!has(claimed.memo->steps, flow.steps_done[i]))
      broken("I25", fmt::format("a body was not handed the step {}", flow.steps_done[i]), run);
  }
  for (const core::StepMemo& step : claimed.memo->steps) {
    const auto output = flow.outputs.find(step.step_id);
    if (step.kind == core::StepKind::function && step.state == core::NodeState::completed &&
        (output == flow.outputs.end() || output->second != step.output.text))
      broken("I25", fmt::format("the output of {} has changed", step.step_id), run);
  }
  if (kept->second > 0) ++tally_.replays;
}

void FlowChecker::on_step(const core::ClaimedTask& body, const std::string& step_id) {
  ++tally_.steps;
  if (has(body.memo->steps, step_id))
    broken("I25", fmt::format("step {} was done again", step_id), *body.task.run_id);
}

std::vector<RunId> FlowChecker::in(RunState state) const {
  std::vector<RunId> found;
  for (const auto& [id, flow] : flows_) {
    if (flow.state == state) found.push_back(id);
  }
  return found;
}

void FlowChecker::audit_end(bool has_gone_back) {
  for (const auto& [key, id] : keys_) {
    const auto stored = store_.find_run(id, {});
    if (!stored) broken("I01", fmt::format("the run with the key {} is gone", key), id);
    if (stored->run.sequence != flows_.at(id).sequence)
      broken("I20", "the row is not what was committed", id);
  }
  for (const core::Verdict& verdict : engine::verify(store_, {}).checks) {
    if (verdict.violations.empty() || (has_gone_back && verdict.id == "I04")) continue;
    const core::Violation& first = verdict.violations.front();
    broken(verdict.id, fmt::format("{}: {}", first.object, first.message), {});
  }
}

}  // namespace pawl::sim
