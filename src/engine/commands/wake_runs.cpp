#include "engine/commands/wake_runs.hpp"

#include <utility>

#include <fmt/format.h>

namespace pawl::engine {

namespace {

// Calls `decide(run, context)` and applies its decision. Returns 1 if the run has changed, else 0.
template <typename Decide>
int advance(const core::RunId& id, const core::EventActor& actor, GroupContext& group, const Decide& decide) {
  core::WorkingRun* run = group.runs.find(id);
  if (run == nullptr) return 0;
  core::RunDecision decision = decide(*run, group.effects.context(run->run().facts, actor));
  const int changed = decision.events.empty() ? 0 : 1;
  group.effects.apply(id, std::move(decision));
  return changed;
}

core::RunDecision note_stuck(core::WorkingRun& working, const core::RunContext& context,
                             core::Duration stuck_after) {
  const core::Run& run = working.run();
  const bool is_stuck = run.state == core::RunState::running && run.updated_at + stuck_after <= context.now;
  if (!is_stuck) return {};
  const core::RawJson detail{fmt::format(R"({{"silent_since":"{}"}})", core::format_time(run.updated_at))};
  return core::note_evidence(working, core::RunEventType::recovery_started, detail, context);
}

}  // namespace

void needs(const core::WakeRuns& command, Needs& rows) {
  for (const core::TimerRef& timer : command.timers) {
    rows.runs.push_back(timer.run_id);
    rows.nodes.push_back({.run = timer.run_id, .key = timer.node});
  }
  rows.runs.insert(rows.runs.end(), command.deadlines.begin(), command.deadlines.end());
  rows.runs.insert(rows.runs.end(), command.stuck.begin(), command.stuck.end());
  for (const core::ParkRun& parked : command.parked) rows.runs.push_back(parked.run);
}

core::Result<core::Answer> execute(const core::WakeRuns& command, GroupContext& group) {
  using core::RunContext;
  using core::WorkingRun;
  const core::EventActor recovery{.type = "recovery"};
  core::Swept swept;
  group.effects.use_budget(RunEffects::Budget::timers);
  for (const core::TimerRef& timer : command.timers) {
    swept.changed += advance(timer.run_id, {}, group, [&](WorkingRun& run, const RunContext& context) {
      return core::decide_timer(run, timer.node, context);
    });
  }
  for (const core::RunId& id : command.deadlines)
    swept.changed += advance(id, {}, group, core::decide_deadline);
  for (const core::ParkRun& parked : command.parked) {
    swept.changed += advance(parked.run, recovery, group, [&](WorkingRun& run, const RunContext& context) {
      return core::park_run(run, {.timer = parked.timer, .why = parked.why}, context);
    });
  }
  for (const core::RunId& id : command.stuck) {
    swept.changed += advance(id, recovery, group, [&](WorkingRun& run, const RunContext& context) {
      return note_stuck(run, context, command.stuck_after);
    });
  }
  group.effects.use_budget(RunEffects::Budget::commands);
  return core::Answer{swept};
}

}  // namespace pawl::engine
