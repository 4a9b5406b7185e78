// Random graphs under faults: workers fail, die or report late, operators pause, cancel and retry, and the
// store fails at any point, also after a commit. Once the faults stop, every run ends, and its log matches
// the stored state. A failure prints its seed; PAWL_STORM_SEED runs that seed alone.
#include <cstdlib>

#include <fmt/format.h>

#include "tests/conformance/faults.hpp"
#include "tests/conformance/run_steps.hpp"
#include "tests/support/random_graph.hpp"

namespace pawl::testing {
namespace {

using core::RunAction;
using store::StoreError;
using store::Verb;

class RunStorm : public RunTest {
 public:
  RunStorm() : faulty_(node(), clock, 77) {
    faulty_.plan.on_verb = [this](Verb verb) { befall(verb); };
    faulty_.plan.on_committed = [this] {
      if (is_bad_ && one_in(40)) lose(StoreError::Kind::unknown);
    };
  }

  void storm(std::uint64_t seed) {
    random_.emplace(seed);
    keys_ = fmt::format("seed {}, ", seed);
    const RandomGraphs graphs{"t", [this](std::uint64_t bound) { return below(bound); }};
    put("leaf", graphs.leaf());
    for (int i = 0; i < 4; ++i) put(fmt::format("g{}", i), graphs.definition(fmt::format("g{}", i)));
    is_bad_ = true;
    for (int step = 0; step < 250; ++step) act_at_random();
    is_bad_ = false;
    settle();
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_->below(bound); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  void befall(Verb verb) {
    if (!is_bad_ || verb == Verb::read || !one_in(30)) return;
    constexpr std::array kKinds{StoreError::Kind::retry, StoreError::Kind::unavailable,
                                StoreError::Kind::internal};
    lose(kKinds.at(below(kKinds.size())));
  }

  void put(const std::string& name, const std::string& text) {
    const auto kept = runs().put_definition({.name = name, .text = text});
    EXPECT_TRUE(kept.ok()) << (kept ? "" : kept.problem().detail);
  }

  core::RunApi& stormy() { return faulty_.node.local(); }

  void act_at_random() {
    switch (below(10)) {
      case 0:
        (void)stormy().start_run({.workflow = fmt::format("g{}", below(4)),
                                  .run_key = keys_ + std::to_string(below(12)),
                                  .input = {fmt::format(R"({{"n":{}}})", below(10))}});
        return;
      case 1:
        clock.advance(std::chrono::milliseconds{below(15'000)});
        (void)faulty_.node.engine().sweeper().tick(50);
        return;
      case 2: return meddle();
      case 3:
      case 4:
      case 5: {
        auto claimed = faulty_.node.api().claim({.worker_id = "w1", .max = 3, .lease = 10s});
        if (claimed) {
          for (core::ClaimedTask& one : *claimed) held_.push_back(std::move(one.task));
        }
        return;
      }
      default: return report_one();
    }
  }

  void meddle() {
    const auto all = runs().list_runs({.limit = 20});
    if (!all || all->items.empty()) return;
    const core::RunId run = all->items[below(all->items.size())].facts.id;
    constexpr std::array kActions{RunAction::pause, RunAction::resume,     RunAction::resume,
                                  RunAction::retry, RunAction::compensate, RunAction::cancel};
    if (one_in(2)) {
      (void)stormy().signal_run({.run = {.id = run}, .signal = {.name = "s", .payload = {"1"}}});
    } else {
      (void)stormy().act_on_run(
          {.run = {.id = run}, .asked = {.action = kActions.at(below(kActions.size()))}});
    }
  }

  void report_one() {
    if (held_.empty()) return;
    const std::size_t place = below(held_.size());
    const core::Task task = held_[place];
    constexpr std::array kActions{core::ReportAction::start,    core::ReportAction::complete,
                                  core::ReportAction::complete, core::ReportAction::complete,
                                  core::ReportAction::fail,     core::ReportAction::release};
    core::Report report = report_of(task, kActions.at(below(kActions.size())));
    report.output = {"7"};
    report.error = {.code = "boom", .message = "bad luck", .retryable = !one_in(4)};
    (void)report_to(faulty_.node.api(), "w1", report);
    if (report.action != core::ReportAction::start && !one_in(5))
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  // Resumes all runs, completes all tasks, and advances time.
  void settle() {
    for (int round = 0; round < 60; ++round) {
      bool is_over = true;
      const auto all = runs().list_runs({.limit = 500});
      for (const core::Run& run : all->items) {
        is_over = is_over && core::is_closed(run.state);
        if (run.state == core::RunState::paused) act(run.facts.id, RunAction::resume);
      }
      if (is_over) return;
      for (const core::ClaimedTask& one : claim("w2", 100, 1h))
        (void)report(one.task, core::ReportAction::complete);
      clock.advance(1min);
      tick();
    }
    const auto left = runs().list_runs({.limit = 500});
    for (const core::Run& run : left->items) {
      if (!core::is_closed(run.state))
        ADD_FAILURE() << to_string(run.facts.id) << " of " << run.facts.workflow << " is still "
                      << to_string(run.state);
    }
  }

  std::optional<SeededRandom> random_;
  std::string keys_;
  bool is_bad_ = false;
  FaultyNode faulty_;
  std::vector<core::Task> held_;
};

TEST_P(RunStorm, EndsEveryRunInTheStateOfItsEvents) {
  const char* only = std::getenv("PAWL_STORM_SEED");
  const std::uint64_t count = GetParam() == StoreKind::memory ? 25 : 3;
  const std::uint64_t first = only == nullptr ? 1 : std::strtoull(only, nullptr, 10);
  const std::uint64_t last = only == nullptr ? count : first;
  for (std::uint64_t seed = first; seed <= last && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    storm(seed);
    expect_replayed();
  }
  if (GetParam() != StoreKind::memory || only != nullptr) return;
  for (const core::RunState state : {core::RunState::completed, core::RunState::failed,
                                     core::RunState::compensated, core::RunState::cancelled})
    EXPECT_GT(runs().list_runs({.query = {.states = {state}}})->items.size(), 5U) << to_string(state);
}

}  // namespace
PAWL_ON_EVERY_STORE(RunStorm);
}  // namespace pawl::testing
