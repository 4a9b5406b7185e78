#include "engine/step_waits.hpp"

#include <algorithm>
#include <utility>

namespace pawl::engine {

namespace {

bool has_enough_ended(const core::StepsWritten& written, bool wants_all) {
  const auto has_ended = [](const core::StepAnswer& one) { return core::has_ended(one.now.state); };
  return wants_all ? std::all_of(written.steps.begin(), written.steps.end(), has_ended)
                   : std::any_of(written.steps.begin(), written.steps.end(), has_ended);
}

void note(core::StepsWritten& written, const RunStepChange& change) {
  written.now = change.now;
  written.stop = change.stop;
  written.is_paused = change.is_paused;
  for (const core::StepMemo& ended : change.ended) {
    const auto answer =
        std::find_if(written.steps.begin(), written.steps.end(),
                     [&](const core::StepAnswer& one) { return one.step_id == ended.step_id; });
    if (answer != written.steps.end()) answer->now = ended;
  }
}

}  // namespace

bool is_awaiting(const core::WriteSteps& command, const core::StepsWritten& written) {
  return command.await && !command.steps.empty() && !written.is_suspended && !written.is_paused &&
         !written.stop && !has_enough_ended(written, command.await->wants_all);
}

bool StepWaits::has(const core::RunId& run) const {
  const std::lock_guard lock{mutex_};
  return waits_.contains(run);
}

void StepWaits::park(const core::WriteSteps& command, ReadyReply reply, core::MonotonicTime until) {
  const std::lock_guard lock{mutex_};
  waits_.emplace(command.run_id,
                 Waiting{.reply = std::move(reply), .wants_all = command.await->wants_all, .until = until});
  count_ = waits_.size();
}

template <typename IsTaken>
std::vector<ReadyReply> StepWaits::take_if(Waits::iterator first, Waits::iterator last, IsTaken is_taken) {
  std::vector<ReadyReply> taken;
  while (first != last) {
    if (!is_taken(first->second)) {
      ++first;
      continue;
    }
    taken.push_back(std::move(first->second.reply));
    first = waits_.erase(first);
  }
  count_ = waits_.size();
  return taken;
}

std::vector<ReadyReply> StepWaits::take_for(const RunStepChange& change) {
  const std::lock_guard lock{mutex_};
  const auto [first, last] = waits_.equal_range(change.run);
  return take_if(first, last, [&](Waiting& one) {
    note(one.reply.written, change);
    return change.stop || change.is_paused || has_enough_ended(one.reply.written, one.wants_all);
  });
}

std::vector<ReadyReply> StepWaits::take_expired(core::MonotonicTime now) {
  const std::lock_guard lock{mutex_};
  return take_if(waits_.begin(), waits_.end(), [&](const Waiting& one) { return one.until <= now; });
}

std::vector<ReadyReply> StepWaits::take_all() {
  const std::lock_guard lock{mutex_};
  return take_if(waits_.begin(), waits_.end(), [](const Waiting&) { return true; });
}

}  // namespace pawl::engine
