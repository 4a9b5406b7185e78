#include "pawl/testing.hpp"

#include <algorithm>
#include <condition_variable>

#include <fmt/format.h>

#include "sdk/outcome.hpp"
#include "sdk/step_state.hpp"
#include "sdk/test_connection.hpp"

namespace pawl::testing {

namespace {

// More than a workflow should have; a nondeterministic workflow could have endlessly many.
constexpr int kPointsMax = 10'000;

std::string shown(const std::vector<std::string>& effects) {
  return fmt::format("[{}]", fmt::join(effects, ", "));
}

std::string shown(const Crash& crash) {
  if (crash.point == 0) return "without a crash";
  return fmt::format("crashed {} durable point {}", crash.side == Crash::Side::before ? "before" : "after",
                     crash.point);
}

struct Tried {
  std::string result = {};
  std::vector<std::string> effects = {};
  int points = 0;
};

void check_is_inside_steps(const Ledger& ledger, const Crash& crash) {
  for (const Ledger::Entry& entry : ledger.all()) {
    if (entry.is_outside_step)
      throw Mismatch{
          fmt::format("{}: the effect '{}' was written outside of a step, where every crash repeats "
                      "it: write it in the function of a step",
                      shown(crash), entry.effect)};
  }
}

Tried try_once(const std::function<std::string(Environment&)>& program, const CrashOptions& options,
               const Crash& crash) {
  if (options.ledger != nullptr) options.ledger->clear();
  Environment env{crash};
  if (options.ledger != nullptr) env.watch(*options.ledger);
  const auto outcome = pawl::detail::outcome_of([&] { return program(env); });
  if (const auto why = env.nondeterminism())
    throw Mismatch{fmt::format("{}: the workflow is not deterministic: {}", shown(crash), *why)};
  if (outcome.thrown) std::rethrow_exception(outcome.thrown);
  Tried tried{.result = outcome.output, .points = env.points()};
  if (options.ledger != nullptr) {
    check_is_inside_steps(*options.ledger, crash);
    tried.effects = options.ledger->effects();
  }
  if (const auto again = env.done_again(); !again.empty())
    throw Mismatch{fmt::format("{}: was durable and was done again: {}", shown(crash), shown(again))};
  if (crash.point > 0 && !env.has_crashed()) tried.points = 0;
  return tried;
}

void compare(const Tried& expected, const Tried& found, const CrashOptions& options, const Crash& crash) {
  if (found.result != expected.result)
    throw Mismatch{
        fmt::format("{}: expected the result {}, found {}", shown(crash), expected.result, found.result)};
  auto effects_expected = expected.effects;
  auto effects_found = found.effects;
  if (!options.in_order) {
    std::sort(effects_expected.begin(), effects_expected.end());
    std::sort(effects_found.begin(), effects_found.end());
  }
  if (effects_found != effects_expected)
    throw Mismatch{fmt::format("{}: expected the effects {}, found {}", shown(crash), shown(effects_expected),
                               shown(effects_found))};
}

}  // namespace

// --- the ledger ---

void Ledger::write(const Workflow& wf, std::string effect) {
  const auto* step = pawl::detail::StepState::here();
  const bool is_inside = step != nullptr && to_string(step->run_id()) == wf.run_id();
  add({.key = is_inside ? step->operation_key() : wf.run_id(),
       .effect = std::move(effect),
       .is_outside_step = !is_inside});
}

void Ledger::add(Entry entry) {
  const std::lock_guard lock{mutex_};
  entries_.push_back(std::move(entry));
}

std::vector<std::string> Ledger::effects() const {
  const std::vector<Entry> entries = all();
  std::vector<std::string> effects;
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    const bool is_repeated = !entry->is_outside_step && std::find(entries.begin(), entry, *entry) != entry;
    if (!is_repeated) effects.push_back(entry->effect);
  }
  return effects;
}

std::vector<Ledger::Entry> Ledger::all() const {
  const std::lock_guard lock{mutex_};
  return entries_;
}

void Ledger::clear() {
  const std::lock_guard lock{mutex_};
  entries_.clear();
}

// --- the environment ---

Environment::Environment(Crash crash)
    : connection_(std::make_shared<detail::TestConnection>(crash)),
      client_(connection_),
      address_(detail::register_test_connection(connection_)) {}
Environment::~Environment() = default;

TimePoint Environment::now() const { return connection_->skipping().now(); }
void Environment::advance(Duration time) { connection_->skipping().skip_to(now() + time); }
int Environment::points() const { return connection_->points(); }
bool Environment::has_crashed() const { return connection_->has_crashed(); }
void Environment::watch(const Ledger& ledger) { connection_->watch(ledger); }
std::vector<std::string> Environment::done_again() const { return connection_->done_again(); }
std::optional<std::string> Environment::nondeterminism() const { return connection_->nondeterminism(); }

void Environment::settle(Duration timeout) {
  core::Clock& clock = connection_->skipping();
  const core::MonotonicTime until = clock.monotonic() + timeout;
  std::mutex mutex;
  std::condition_variable never;
  while (!connection_->is_idle()) {
    if (clock.monotonic() >= until) throw Mismatch{"there is still something to do"};
    std::unique_lock lock{mutex};
    never.wait_for(lock, std::chrono::milliseconds{1});
  }
}

// --- crashes ---

CrashReport crash_everywhere_in(const std::function<std::string(Environment&)>& program,
                                const CrashOptions& options) {
  const Tried whole = try_once(program, options, {});
  int points = 0;
  bool has_more = true;
  for (int point = 1; has_more; ++point) {
    if (point > kPointsMax) throw Mismatch{"the workflow does not come to an end of its durable points"};
    for (const Crash::Side side : {Crash::Side::before, Crash::Side::after}) {
      const Crash crash{.point = point, .side = side};
      const Tried tried = try_once(program, options, crash);
      compare(whole, tried, options, crash);
      has_more = tried.points > 0;
    }
    if (has_more) points = point;
  }
  return {.points = points, .result = whole.result, .effects = whole.effects};
}

std::string detail::end_of(const Run& run, Duration timeout) {
  const auto outcome = pawl::detail::outcome_of([&] { return run.result<Json>(timeout).dump(); });
  if (outcome.kind == pawl::detail::Outcome::Kind::completed) return outcome.output;
  return fmt::format("{}: {}: {}", run.state(), outcome.error.code, outcome.error.message);
}

}  // namespace pawl::testing
