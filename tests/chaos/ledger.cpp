#include "tests/chaos/ledger.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pawl::chaos {

using namespace std::chrono_literals;

void Ledger::lost_tail_begins() {
  const std::lock_guard lock{mutex_};
  lost_tails_.emplace_back(std::chrono::steady_clock::now(), Time::max());
}

void Ledger::lost_tail_ends() {
  const std::lock_guard lock{mutex_};
  lost_tails_.back().second = std::chrono::steady_clock::now();
}

bool Ledger::may_be_lost(Time acknowledged) const {
  const std::lock_guard lock{mutex_};
  return is_in_lost_tail(acknowledged);
}

bool Ledger::is_in_lost_tail(Time time) const {
  return std::any_of(lost_tails_.begin(), lost_tails_.end(),
                     [time](const auto& tail) { return tail.first <= time && time <= tail.second; });
}

void Ledger::must_not_acknowledge() {
  const std::lock_guard lock{mutex_};
  nothing_durable_since_ = std::chrono::steady_clock::now();
}

void Ledger::may_acknowledge() {
  const std::lock_guard lock{mutex_};
  nothing_durable_since_ = Time::max();
}

void Ledger::acknowledged(Time asked_at) {
  const std::lock_guard lock{mutex_};
  if (asked_at > nothing_durable_since_)
    add_violation(Harm::wrong, "a write was acknowledged while nothing could be made durable");
}

void Ledger::limit_standstill(std::chrono::milliseconds most) {
  const std::lock_guard lock{mutex_};
  standstill_max_ = most;
}

void Ledger::enqueued(const std::string& task) {
  const std::lock_guard lock{mutex_};
  enqueued_[task] = std::chrono::steady_clock::now();
}

void Ledger::started(const std::string& run, bool must_fail) {
  const std::lock_guard lock{mutex_};
  runs_[run] = {.must_fail = must_fail, .at = std::chrono::steady_clock::now()};
}

void Ledger::completed(const std::string& task, std::int64_t fence) {
  const std::lock_guard lock{mutex_};
  const Completion completion{.fence = fence, .at = std::chrono::steady_clock::now()};
  const auto [found, is_first] = completed_.emplace(task, completion);
  if (is_first) return;
  if (!is_in_lost_tail(found->second.at))
    add_violation(Harm::doubled, fmt::format("task {} was completed at fence {} and again at {}", task,
                                             found->second.fence, fence));
  found->second = completion;
}

void Ledger::claimed(const std::string& task, std::int64_t fence, Time lease_end) {
  const Time now = std::chrono::steady_clock::now();
  const std::lock_guard lock{mutex_};
  ++counts_["claims"];
  if (fence > 1) ++counts_["claims after a lost attempt"];
  const auto [claim, is_first] = claims_.emplace(std::pair{task, fence}, now);
  if (!is_first && !is_in_lost_tail(claim->second))
    add_violation(Harm::doubled, fmt::format("task {} was given out twice at fence {}", task, fence));
  claim->second = now;
  // If the answer took longer than the lease, another worker may have completed the task meanwhile.
  const auto completion = completed_.find(task);
  if (now < lease_end && completion != completed_.end() && !is_in_lost_tail(completion->second.at))
    add_violation(Harm::doubled, fmt::format("task {} was given out after it was completed", task));
  const auto found = abandoned_.find(task);
  if (found == abandoned_.end()) return;
  const bool is_calm = found->second > calm_since_;
  const auto late = std::max(0ms, std::chrono::duration_cast<std::chrono::milliseconds>(now - found->second));
  recoveries_[is_calm ? "from the end of a dead worker's lease to the next claim, nothing else being wrong"
                      : "from the end of a dead worker's lease to the next claim"]
      .push_back(late);
  if (late > standstill_max_)
    add_violation(Harm::wrong, fmt::format("task {} of a dead worker was claimed {} ms after its lease", task,
                                           late.count()));
  abandoned_.erase(found);
}

void Ledger::held(Hold hold) {
  if (hold.until <= hold.from) return;
  const std::lock_guard lock{mutex_};
  holds_.push_back(std::move(hold));
}

void Ledger::abandoned(const std::string& task, Time lease_end) {
  const std::lock_guard lock{mutex_};
  ++counts_["workers that died with a task"];
  abandoned_[task] = lease_end;
}

void Ledger::reported_late(const std::string& task, Time claimed_at, bool was_accepted) {
  const std::lock_guard lock{mutex_};
  ++counts_["reports after the lease"];
  if (was_accepted && !is_in_lost_tail(claimed_at))
    add_violation(Harm::doubled, fmt::format("task {}: a report after its lease was over was taken", task));
}

void Ledger::recovered(const std::string& what, std::chrono::milliseconds time) {
  const std::lock_guard lock{mutex_};
  recoveries_[what].push_back(time);
}

void Ledger::calm() {
  const std::lock_guard lock{mutex_};
  calm_since_ = std::chrono::steady_clock::now();
}

void Ledger::violation(Harm harm, std::string text) {
  const std::lock_guard lock{mutex_};
  add_violation(harm, std::move(text));
}

void Ledger::fault_begins(std::string_view fault) {
  const std::lock_guard lock{mutex_};
  fault_ = fault;
}

void Ledger::faults_are_over() { fault_begins(kWholeCampaign); }

void Ledger::fault_recovered(std::string_view fault, std::chrono::milliseconds time) {
  const std::lock_guard lock{mutex_};
  fault_recoveries_[std::string{fault}].push_back(time);
}

void Ledger::count(const std::string& what, std::int64_t by) {
  const std::lock_guard lock{mutex_};
  counts_[what] += by;
}

std::int64_t Ledger::count_of(const std::string& what) const {
  const std::lock_guard lock{mutex_};
  const auto found = counts_.find(what);
  return found == counts_.end() ? 0 : found->second;
}

std::int64_t most_at_once(const std::vector<Hold>& holds) {
  std::vector<std::pair<Time, int>> changes;
  for (const Hold& hold : holds) {
    changes.emplace_back(hold.from, 1);
    changes.emplace_back(hold.until, -1);
  }
  std::sort(changes.begin(), changes.end());  // at equal times, releases (-1) sort before acquisitions (+1)
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, now += change);
  return most;
}

}  // namespace pawl::chaos
