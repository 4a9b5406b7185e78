#include "engine/sweeper.hpp"

#include <algorithm>
#include <iterator>

#include "engine/due.hpp"
#include "engine/due_parts.hpp"
#include "engine/engine.hpp"

namespace pawl::engine {

using core::Answer;
using core::Result;
using store::StoreError;

namespace {

constexpr int kTicksOfParts = 100;  // after damage was found

// The run of a command that advances only one.
std::optional<core::ParkRun> only_run_of(const core::Command& command) {
  const auto* wake = std::get_if<core::WakeRuns>(&command);
  if (wake == nullptr || wake->timers.size() + wake->deadlines.size() != 1) return std::nullopt;
  if (wake->timers.empty()) return core::ParkRun{.run = wake->deadlines.front()};
  return core::ParkRun{.run = wake->timers.front().run_id, .timer = wake->timers.front().node};
}

int& count_of(const core::Command& command, TickResult& result) {
  if (std::holds_alternative<core::SweepLeases>(command)) return result.leases;
  if (std::holds_alternative<core::PromoteDue>(command)) return result.promoted;
  return result.woken;
}

}  // namespace

std::vector<core::Command> Sweeper::find_due(std::size_t page, std::optional<core::TimePoint>& next_due) {
  std::vector<core::Command> commands;
  for (DueWork& work : engine::find_due(store_, core::RecoveryCheck::leases, {.page = page}))
    commands.push_back(std::move(work.command));
  store::DueTasks due = store_.due_tasks(page);
  next_due = due.next;
  if (!due.ids.empty()) commands.emplace_back(core::PromoteDue{std::move(due.ids)});
  store::DueRuns runs = store_.due_runs(page);
  if (runs.next) next_due = std::min(next_due.value_or(*runs.next), *runs.next);
  core::WakeRuns wake{.timers = std::move(runs.timers), .deadlines = std::move(runs.deadlines)};
  skipped_.remove_from(wake);
  if (!wake.timers.empty() || !wake.deadlines.empty()) commands.emplace_back(std::move(wake));
  return commands;
}

TickResult Sweeper::tick(std::size_t page) {
  TickResult result;
  std::vector<core::Command> due;
  try {
    due = find_due(page, result.next_due);
    result.store_now = store_.now();
    clock_watch_.note(store_.clock_state());
  } catch (const StoreError&) {
    return {};
  }
  execute_tick(std::move(due), result);
  stats_.leases_expired += result.leases;
  return result;
}

void Sweeper::execute_tick(std::vector<core::Command> commands, TickResult& result) {
  std::vector<Request> requests;
  std::vector<FailedRun> failed;
  const bool is_one_by_one = ticks_of_parts_ > 0;
  for (core::Command& command : commands) {
    if (const auto* runs = std::get_if<core::WakeRuns>(&command))
      stats_.deadlines_passed += static_cast<std::int64_t>(runs->deadlines.size());
    int& count = count_of(command, result);
    for (core::Command& part : parts_of(command, is_one_by_one)) {
      const auto reply = [this, &count, &failed, run = only_run_of(part)](const Result<Answer>& answer) {
        if (answer) {
          count += std::get<core::Swept>(*answer).changed;
          return;
        }
        const core::Problem& problem = answer.problem();
        if (problem.code != core::ProblemCode::unavailable) ticks_of_parts_ = kTicksOfParts;
        if (!run) return;
        failed.push_back({.run = *run, .code = problem.code});
        failed.back().run.why = problem.detail;
      };
      requests.push_back({.command = std::move(part), .reply = reply});
    }
  }
  if (is_one_by_one) --ticks_of_parts_;
  if (!requests.empty()) engine_.execute(std::move(requests));
  for (FailedRun& run : failed) park(std::move(run));
}

// A run that lacked memory may succeed on a later tick. If a run cannot be parked because of its rows, or its
// deadline cannot be handled, this node skips the run for a while.
void Sweeper::park(FailedRun failed) {
  const bool lacks_memory = failed.code == core::ProblemCode::resource_exhausted;
  if (failed.code != core::ProblemCode::internal && !lacks_memory) return;
  const core::RunId id = failed.run.run;
  if (lacks_memory && !skipped_.has_failed_too_often(id)) return;
  ++stats_.runs_parked;
  damage_.report("run " + to_string(id), failed.run.why + "; it is parked");
  bool is_parked = failed.run.timer.has_value();
  core::WakeRuns command;
  command.parked.push_back(std::move(failed.run));
  execute(std::move(command), [&is_parked](const Result<Answer>& answer) {
    is_parked = is_parked && answer && std::get<core::Swept>(*answer).changed > 0;
  });
  if (!is_parked) skipped_.skip(id);
}

int Sweeper::sweep_records(std::size_t page) {
  std::vector<DueWork> due;
  try {
    due = engine::find_due(store_, core::RecoveryCheck::workers, {.page = page});
    stats_.workers_lost += static_cast<std::int64_t>(due.size());
    auto expired = engine::find_due(store_, core::RecoveryCheck::retention, {.page = page});
    due.insert(due.end(), std::make_move_iterator(expired.begin()), std::make_move_iterator(expired.end()));
  } catch (const StoreError&) {
    return 0;
  }
  const int count = static_cast<int>(due.size());
  // One transaction each: a lost worker does not delay the others.
  for (DueWork& work : due) execute(std::move(work.command), [](const Result<Answer>&) {});
  return count;
}

void Sweeper::note_stuck_runs(std::size_t page, core::Duration stuck_after) {
  std::vector<DueWork> stuck;
  try {
    stuck = engine::find_due(store_, core::RecoveryCheck::stuck, {.page = page, .stuck_after = stuck_after});
  } catch (const StoreError&) {
    return;
  }
  for (DueWork& work : stuck) {
    execute(std::move(work.command), [this](const Result<Answer>& answer) {
      if (answer) stats_.runs_stuck += std::get<core::Swept>(*answer).changed;
    });
  }
}

void Sweeper::execute(core::Command command, core::Reply reply) {
  std::vector<Request> group;
  group.push_back({.command = std::move(command), .reply = std::move(reply)});
  engine_.execute(std::move(group));
}

bool Sweeper::may_have_changed() {
  try {
    return store_.may_have_changed();
  } catch (const StoreError&) {
    return false;
  }
}

void Sweeper::maintain() {
  try {
    store_.maintain();
  } catch (const StoreError&) {
    return;  // housekeeping runs again in a second
  }
}

}  // namespace pawl::engine
