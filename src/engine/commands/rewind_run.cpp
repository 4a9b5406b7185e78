#include "engine/commands/rewind_run.hpp"

#include <utility>

#include "engine/commands/shared.hpp"

namespace pawl::engine {

namespace {

core::RunFacts facts_of_copy(const core::Run& from, GroupContext& group) {
  core::RunFacts facts = from.facts;
  facts.id = core::RunId{group.ids.next(group.now())};
  facts.run_key.reset();  // the key stays with the original run
  facts.parent.reset();
  facts.depth = 0;
  facts.rewound_from = from.facts.id;
  if (facts.deadline_at) facts.deadline_at = group.now() + (*facts.deadline_at - from.created_at);
  return facts;
}

}  // namespace

void needs(const core::RewindRun& command, Needs& rows) { rows.runs.push_back(command.run.id); }

core::Result<core::Answer> execute(const core::RewindRun& command, GroupContext& group) {
  core::WorkingRun* source = group.runs.find(command.run.ns, command.run.id);
  if (source == nullptr) return no_such_run(command.run.id);
  if (const core::Status current = core::check_sequence(source->run(), command.expected_sequence); !current)
    return current.problem();
  const core::RunFacts facts = facts_of_copy(source->run(), group);
  // Decide on a separate run, which joins the group only if the decision succeeds.
  core::WorkingRun copy{source->plan()};
  auto decision =
      core::rewind_run(*source, command.to, copy, facts, group.effects.context(facts, actor_of(command.by)));
  note_run_action("run.rewind", command.by, command.run,
                  decision ? core::Status{core::Done{}} : core::Status{decision.problem()}, group.records);
  if (!decision) return decision.problem();
  core::WorkingRun& added = group.runs.add_new(facts.id, group.runs.plan_of(command.run.id));
  added = std::move(copy);
  group.effects.apply(facts.id, std::move(*decision));
  return core::Answer{core::RunStarted{.created = true, .run = added.run()}};
}

}  // namespace pawl::engine
