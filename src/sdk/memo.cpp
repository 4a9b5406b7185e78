#include "sdk/memo.hpp"

#include <algorithm>
#include <utility>

namespace pawl::detail {

Memo::Memo(const core::BodyMemo* kept, std::size_t bytes_max) : bytes_max_(bytes_max) {
  if (kept != nullptr) add(kept->steps);
}

void Memo::add(const std::vector<core::StepMemo>& steps) {
  const std::lock_guard lock{mutex_};
  for (const core::StepMemo& step : steps) put(entries_[step.step_id], step);
}

void Memo::put(Entry& entry, const core::StepMemo& step) {
  bytes_ -= entry.step.output.text.size();
  const std::size_t size = step.output.text.size();
  entry.is_dropped = bytes_ + size > bytes_max_;
  if (entry.is_dropped) {
    entry.step = {.step_id = step.step_id,
                  .kind = step.kind,
                  .state = step.state,
                  .attempt = step.attempt,
                  .sequence = step.sequence,
                  .error = step.error,
                  .due_at = step.due_at,
                  .finished_at = step.finished_at,
                  .child_id = step.child_id};
    return;
  }
  entry.step = step;
  bytes_ += size;
}

bool Memo::is_dropped(const std::string& id) const {
  const std::lock_guard lock{mutex_};
  const auto found = entries_.find(id);
  return found != entries_.end() && found->second.is_dropped;
}

bool Memo::is_expected(const core::StepMemo& step) {
  return step.kind != core::StepKind::marker && step.kind != core::StepKind::compensation;
}

std::string Memo::branch_of(const std::string& id) {
  const auto slash = id.rfind('/');
  return slash == std::string::npos ? "" : id.substr(0, slash + 1);
}

std::optional<core::StepMemo> Memo::consume(const std::string& id) {
  const std::lock_guard lock{mutex_};
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  Entry& entry = found->second;
  if (!std::exchange(entry.is_consumed, true) && is_expected(entry.step)) --expected_[branch_of(id)];
  return entry.step;
}

std::optional<core::StepMemo> Memo::find(const std::string& id) const {
  const std::lock_guard lock{mutex_};
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return found->second.step;
}

void Memo::keep(const core::StepMemo& step) {
  const std::lock_guard lock{mutex_};
  Entry& entry = entries_[step.step_id];
  put(entry, step);
  entry.is_consumed = true;
  entry.is_old = false;
}

bool Memo::is_old(const std::string& id) const {
  const std::lock_guard lock{mutex_};
  const auto found = entries_.find(id);
  return found != entries_.end() && found->second.is_old;
}

bool Memo::come_to_branch(const std::string& branch) {
  const std::lock_guard lock{mutex_};
  const auto found = branches_.find(branch);
  if (found == branches_.end()) return false;
  if (!std::exchange(found->second, true)) --expected_[branch_of(branch.substr(0, branch.size() - 1))];
  return true;
}

std::vector<core::StepMemo> Memo::open_within(const std::string& branch) const {
  const std::lock_guard lock{mutex_};
  std::vector<core::StepMemo> open;
  for (auto entry = entries_.lower_bound(branch); entry != entries_.end(); ++entry) {
    if (!entry->first.starts_with(branch)) break;
    const core::StepMemo& step = entry->second.step;
    if (!core::has_ended(step.state) && !core::is_reported(step.kind)) open.push_back(step);
  }
  return open;
}

bool Memo::has_compensations() const {
  const std::lock_guard lock{mutex_};
  return std::any_of(entries_.begin(), entries_.end(), [](const auto& entry) {
    const core::StepMemo& step = entry.second.step;
    return step.kind == core::StepKind::compensation && step.state != core::NodeState::blocked;
  });
}

std::vector<std::string> Memo::live_outside() const {
  const std::lock_guard lock{mutex_};
  std::vector<std::string> ids;
  for (const auto& [id, entry] : entries_) {
    const bool is_outside =
        entry.step.kind == core::StepKind::child || entry.step.kind == core::StepKind::task;
    const bool is_begun = entry.step.state != core::NodeState::blocked;
    if (is_outside && is_begun && !core::has_ended(entry.step.state)) ids.push_back(id);
  }
  return ids;
}

// A step is missing from its own branch, or from an outer branch if the code has not reached the inner one.
bool Memo::is_missed(const std::string& id, const std::string& branch) const {
  if (!id.starts_with(branch)) return false;
  const auto slash = id.find('/', branch.size());
  if (slash == std::string::npos) return true;
  const auto within = branches_.find(id.substr(0, slash + 1));
  return within != branches_.end() && !within->second;
}

std::optional<std::string> Memo::first_expected(const std::string& branch) const {
  const std::lock_guard lock{mutex_};
  const auto count = expected_.find(branch);
  if (count == expected_.end() || count->second == 0) return std::nullopt;
  const core::StepMemo* first = nullptr;
  for (const auto& [id, entry] : entries_) {
    if (entry.is_consumed || !is_expected(entry.step) || !is_missed(id, branch)) continue;
    if (first == nullptr || entry.step.sequence < first->sequence) first = &entry.step;
  }
  if (first == nullptr) return std::nullopt;
  return first->step_id;
}

void Memo::expect(const std::string& id) {
  std::string branch = branch_of(id);
  ++expected_[branch];
  while (!branch.empty() && branches_.emplace(branch, false).second) {
    branch = branch_of(branch.substr(0, branch.size() - 1));
    ++expected_[branch];
  }
}

void Memo::rewind() {
  const std::lock_guard lock{mutex_};
  expected_.clear();
  branches_.clear();
  for (auto& [id, entry] : entries_) {
    entry.is_old = entry.is_consumed && !core::has_ended(entry.step.state);
    entry.is_consumed = false;
    if (is_expected(entry.step)) expect(id);
  }
}

}  // namespace pawl::detail
