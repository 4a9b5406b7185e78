#include "tests/sim/flow_clients.hpp"

#include <array>

#include <fmt/format.h>

#include "core/definition/definition_record.hpp"
#include "tests/sim/flow_bodies.hpp"
#include "tests/support/random_graph.hpp"

namespace pawl::sim {

using namespace std::chrono_literals;
using core::Result;
using core::RunAction;

namespace {

constexpr int kGraphs = 5;

void put(engine::Engine& engine, const std::string& name, const std::string& text) {
  auto definition = core::parse_definition(text, name);
  if (!definition) throw FlowViolation{.invariant = "the definition", .what = definition.problem().detail};
  core::KeepDefinition keep{.request = {.name = name}, .definition = std::move(*definition)};
  core::ChangeRecords command;
  command.refs = {core::definition_ref("default", name), core::definition_ref("default", name, 1)};
  command.decide = [keep](core::FoundRecords found, TimePoint now) {
    return core::decide_keep(keep, found, now);
  };
  std::vector<engine::Request> requests;
  requests.push_back({.command = std::move(command), .reply = [](const auto&) {}});
  engine.execute(std::move(requests));
}

}  // namespace

void FlowClients::define(store::Store& store, core::Clock& clock, std::uint64_t seed) {
  testing::SeededRandom random{seed};
  engine::Engine engine{store, clock, random};
  Chance chance{seed};
  const testing::RandomGraphs graphs{"t0", [&](std::uint64_t bound) { return chance.index(bound); }};
  put(engine, "leaf", graphs.leaf());
  for (int i = 0; i < kGraphs; ++i) {
    const std::string name = fmt::format("g{}", i);
    put(engine, name, graphs.definition(name));
  }
}

FlowClients::FlowClients(const Options& options, Scheduler& scheduler, Cluster& cluster,
                         const FlowChecker& checker, int flows, std::uint64_t seed)
    : options_(options),
      scheduler_(scheduler),
      cluster_(cluster),
      checker_(checker),
      chance_(seed),
      flows_left_(flows),
      flows_(flows) {
  scheduler_.after(10ms, [this] { act(); });
}

void FlowClients::act() {
  if (has_sent_all() || is_healed_) return;
  start();
  if (chance_.happens(0.5)) meddle();
  scheduler_.after(chance_.between(0s, 2 * options_.span / flows_), [this] { act(); });
}

void FlowClients::start() {
  core::StartRun command;
  const int number = flows_left_--;
  command.run_key = fmt::format("k{}", number);
  command.input = {fmt::format(R"({{"n":{}}})", chance_.between(0, 1'000))};
  if (chance_.happens(0.5)) {
    command.workflow = fmt::format("g{}", chance_.between(0, kGraphs - 1));
    command.queue = "q0";
  } else {
    command.workflow = "code";
    command.kind = core::RunKind::code;
    command.queue = kBodiesQueue;
  }
  if (chance_.happens(0.1)) command.deadline = chance_.between(1s, 60s);
  send(command);
}

void FlowClients::send(const core::StartRun& command) {
  ++unsettled_;
  cluster_.send(command, kPatience, [this, command](const Result<core::Answer>* answer) {
    --unsettled_;
    const bool is_unknown =
        answer == nullptr || (!*answer && answer->problem().code == core::ProblemCode::unavailable);
    const bool is_repeated = !is_unknown && !is_healed_ && chance_.happens(0.05);
    if (!is_unknown && !is_repeated) return;
    ++unsettled_;
    scheduler_.after(chance_.between(20ms, 500ms), [this, command] {
      --unsettled_;
      send(command);
    });
  });
}

void FlowClients::meddle() {
  if (checker_.known().empty()) return;
  const std::size_t recent = std::min<std::size_t>(checker_.known().size(), 20);
  const core::RunId run = checker_.known()[checker_.known().size() - 1 - chance_.index(recent)];
  if (chance_.happens(0.5)) {
    cluster_.send(core::SignalRun{.run = {.id = run}, .signal = {.name = "s", .payload = {"1"}}}, kPatience,
                  [](const auto*) {});
    return;
  }
  constexpr std::array kActions{RunAction::pause, RunAction::resume,     RunAction::resume,
                                RunAction::retry, RunAction::compensate, RunAction::cancel};
  cluster_.send(
      core::ActOnRun{.run = {.id = run}, .asked = {.action = kActions.at(chance_.index(kActions.size()))}},
      kPatience, [](const auto*) {});
}

void FlowClients::heal() {
  is_healed_ = true;
  flows_left_ = 0;
  resume_paused();
}

void FlowClients::resume_paused() {
  for (const core::RunId& run : checker_.in(core::RunState::paused))
    cluster_.send(core::ActOnRun{.run = {.id = run}, .asked = {.action = RunAction::resume}}, kPatience,
                  [](const auto*) {});
  scheduler_.after(5s, [this] { resume_paused(); });
}

}  // namespace pawl::sim
