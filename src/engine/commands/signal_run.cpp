#include "engine/commands/signal_run.hpp"

#include <utility>

#include "engine/commands/shared.hpp"

namespace pawl::engine {

void needs(const core::SignalRun& command, Needs& rows) { rows.runs.push_back(command.run.id); }

core::Result<core::Answer> execute(const core::SignalRun& command, GroupContext& group) {
  core::WorkingRun* run = group.runs.find(command.run.ns, command.run.id);
  if (run == nullptr) return no_such_run(command.run.id);
  auto decision = core::decide_signal(*run, command.signal,
                                      group.effects.context(run->run().facts, actor_of(command.by)));
  if (!decision) return decision.problem();
  group.effects.apply(command.run.id, std::move(*decision));
  return core::Answer{core::RunStarted{.created = false, .run = run->run()}};
}

}  // namespace pawl::engine
