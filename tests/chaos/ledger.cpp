#include "tests/chaos/ledger.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pawl::chaos {

using namespace std::chrono_literals;

void Ledger::enqueued(const std::string& task) {
  const std::lock_guard lock{mutex_};
  enqueued_.insert(task);
}

void Ledger::started(const std::string& run, bool must_fail) {
  const std::lock_guard lock{mutex_};
  runs_.emplace(run, must_fail);
}

void Ledger::completed(const std::string& task, std::int64_t fence) {
  const std::lock_guard lock{mutex_};
  const auto [found, is_first] = completed_.emplace(task, fence);
  if (!is_first)
    add_violation(Harm::doubled, fmt::format("task {} was completed at fence {} and again at {}", task,
                                             found->second, fence));
}

void Ledger::claimed(const std::string& task, std::int64_t fence, Time lease_end) {
  const Time now = std::chrono::steady_clock::now();
  const std::lock_guard lock{mutex_};
  ++counts_["claims"];
  if (fence > 1) ++counts_["claims after a lost attempt"];
  if (!claims_.emplace(task, fence).second)
    add_violation(Harm::doubled, fmt::format("task {} was given out twice at fence {}", task, fence));
  // Where the answer took longer than the lease, another may have completed it meanwhile.
  if (now < lease_end && completed_.contains(task))
    add_violation(Harm::doubled, fmt::format("task {} was given out after it was completed", task));
  const auto found = abandoned_.find(task);
  if (found == abandoned_.end()) return;
  const bool is_calm = found->second > calm_since_;
  recoveries_[is_calm ? "from the end of a dead worker's lease to the next claim, nothing else being wrong"
                      : "from the end of a dead worker's lease to the next claim"]
      .push_back(std::max(0ms, std::chrono::duration_cast<std::chrono::milliseconds>(now - found->second)));
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

void Ledger::reported_late(const std::string& task, bool was_taken) {
  const std::lock_guard lock{mutex_};
  ++counts_["reports after the lease"];
  if (was_taken)
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
  std::sort(changes.begin(), changes.end());  // at the same instant one ends before another begins
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& [time, change] : changes) most = std::max(most, now += change);
  return most;
}

}  // namespace pawl::chaos
