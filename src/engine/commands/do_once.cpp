#include "engine/commands/do_once.hpp"

#include <utility>

#include "core/records/idempotency.hpp"

namespace pawl::engine {

using core::Result;

void OnceRecords::lock(const std::vector<const core::DoOnce*>& onces) {
  std::vector<core::RecordRef> refs;
  for (const core::DoOnce* once : onces) {
    if (once == nullptr) continue;
    if (once->takes.empty()) refs.push_back(core::idempotency_ref(once->ns, once->key));
    refs.insert(refs.end(), once->takes.begin(), once->takes.end());
  }
  records_.lock(std::move(refs));
}

// A deferred record is rejected in the same way as a record that no longer exists.
Result<std::optional<core::Replayed>> OnceRecords::look_up_taken(const core::DoOnce& once) {
  const auto record = records_.find({once.takes.front()}).front();
  const bool is_due = record && record->expires_at && *record->expires_at <= tx_.now();
  if (is_due && executed_.insert(once.takes.front()).second) return std::optional<core::Replayed>{};
  return core::Problem{.code = core::ProblemCode::already_completed,
                       .detail = "another node has executed this call"};
}

Result<std::optional<core::Replayed>> OnceRecords::look_up(const core::DoOnce& once) {
  if (!once.takes.empty()) return look_up_taken(once);
  const core::RecordRef ref = core::idempotency_ref(once.ns, once.key);
  auto found = core::look_up(once, records_.find({ref}).front(), tx_.now());
  if (!found) return found.problem();
  if (*found) return std::optional{core::Replayed{std::move(**found)}};
  if (!executed_.insert(ref).second) {
    return core::Problem{.code = core::ProblemCode::conflict,
                         .detail = "the first request with this idempotency key is still running"};
  }
  return std::optional<core::Replayed>{};
}

void OnceRecords::keep(const core::DoOnce& once, const Result<core::Answer>& answer) {
  if (!answer || std::holds_alternative<core::Replayed>(*answer)) return;
  const auto response = once.keep(*answer);
  if (!response) return;
  if (once.takes.empty()) records_.change(core::kept(once, *response, tx_.now()));
  for (const core::RecordRef& ref : once.takes) records_.change({.ref = ref});
}

}  // namespace pawl::engine
