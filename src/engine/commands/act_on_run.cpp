#include "engine/commands/act_on_run.hpp"

#include <utility>

#include <fmt/format.h>

#include "engine/commands/shared.hpp"

namespace pawl::engine {

void needs(const core::ActOnRun& command, Needs& rows) { rows.runs.push_back(command.run.id); }

core::Result<core::Answer> execute(const core::ActOnRun& command, GroupContext& group) {
  core::WorkingRun* run = group.runs.find(command.run.ns, command.run.id);
  if (run == nullptr) return no_such_run(command.run.id);
  const auto decide = [&] {
    return core::decide_action(*run, command.asked,
                               group.effects.context(run->run().facts, actor_of(command.by)));
  };
  const bool is_retry = command.asked.action == core::RunAction::retry;
  auto decision = is_retry ? revive_run(*run, decide, group.runs) : decide();
  note_run_action(fmt::format("run.{}", to_string(command.asked.action)), command.by, command.run,
                  decision ? core::Status{core::Done{}} : core::Status{decision.problem()}, group.records);
  if (!decision) return decision.problem();
  group.effects.apply(command.run.id, std::move(*decision));
  return core::Answer{core::RunStarted{.created = false, .run = run->run()}};
}

}  // namespace pawl::engine
