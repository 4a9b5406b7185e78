#include "sdk/memo.hpp"

#include <utility>

namespace pawl::detail {

Memo::Memo(const core::BodyMemo* kept) {
  if (kept == nullptr) return;
  for (const core::StepMemo& step : kept->steps) entries_.emplace(step.step_id, Entry{.step = step});
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

void Memo::keep(core::StepMemo step) {
  const std::lock_guard lock{mutex_};
  std::string id = step.step_id;
  entries_.insert_or_assign(std::move(id), Entry{.step = std::move(step), .is_consumed = true});
}

bool Memo::is_old(const std::string& id) const {
  const std::lock_guard lock{mutex_};
  const auto found = entries_.find(id);
  return found != entries_.end() && found->second.is_old;
}

std::optional<std::string> Memo::first_expected(const std::string& branch) const {
  const std::lock_guard lock{mutex_};
  const auto count = expected_.find(branch);
  if (count == expected_.end() || count->second == 0) return std::nullopt;
  const core::StepMemo* first = nullptr;
  for (const auto& [id, entry] : entries_) {
    if (entry.is_consumed || !is_expected(entry.step) || branch_of(id) != branch) continue;
    if (first == nullptr || entry.step.sequence < first->sequence) first = &entry.step;
  }
  if (first == nullptr) return std::nullopt;
  return first->step_id;
}

void Memo::rewind() {
  const std::lock_guard lock{mutex_};
  expected_.clear();
  for (auto& [id, entry] : entries_) {
    entry.is_old = entry.is_consumed && !core::has_ended(entry.step.state);
    entry.is_consumed = false;
    if (is_expected(entry.step)) ++expected_[branch_of(id)];
  }
}

}  // namespace pawl::detail
