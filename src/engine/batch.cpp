#include "engine/batch.hpp"

#include <utility>
#include <variant>

#include "core/base/ensure.hpp"
#include "engine/commands/all.hpp"

namespace pawl::engine {

namespace {

// The engine serves claims in a ClaimRound, and passes the command in a DoOnce.
template <typename Command>
constexpr bool kIsExecutedByBatch =
    !std::is_same_v<Command, core::ClaimTasks> && !std::is_same_v<Command, core::DoOnce>;

}  // namespace

Batch::Batch(const Lanes& lanes, const Dependencies& with)
    : tasks_(with.tx),
      records_(with.tx),
      runs_(with.tx, with.plans, with.cache),
      lanes_(lanes),
      erased_(with.tx, tasks_),
      onces_(with.tx, records_),
      effects_({.store = with.store,
                .tx = with.tx,
                .ids = with.ids,
                .random = with.random,
                .types = with.types,
                .tasks = tasks_,
                .runs = runs_,
                .bounds = with.bounds}),
      context_{.tx = with.tx,
               .ids = with.ids,
               .random = with.random,
               .lanes = lanes_,
               .tasks = tasks_,
               .records = records_,
               .runs = runs_,
               .effects = effects_,
               .erased = erased_} {}

void Batch::load(const std::vector<const core::Command*>& commands) {
  Needs rows;
  const auto add_needs = [&rows]<typename Command>(const Command& command) {
    if constexpr (kIsExecutedByBatch<Command>) needs(command, rows);
  };
  for (const core::Command* command : commands) std::visit(add_needs, *command);
  load_rows(std::move(rows), context_);
}

core::Result<core::Answer> Batch::execute(const core::Command& command) {
  const auto execute_one = [this]<typename Command>(const Command& typed) -> core::Result<core::Answer> {
    if constexpr (kIsExecutedByBatch<Command>) return engine::execute(typed, context_);
    PAWL_ENSURE(kIsExecutedByBatch<Command>, "the engine passes no claim and no DoOnce");
    return core::Answer{core::Done{}};
  };
  return std::visit(execute_one, command);
}

RunInputs Batch::run_inputs() {
  return RunInputs{[this](const core::RunId& id) { return runs_.input_of(id); }};
}

store::WriteSet Batch::writes() {
  runs_.confirm_guesses();
  records_.chain_audit();
  store::WriteSet writes = tasks_.writes();
  records_.add_to(writes);
  runs_.add_to(writes);
  erased_.add_to(writes);
  return writes;
}

}  // namespace pawl::engine
