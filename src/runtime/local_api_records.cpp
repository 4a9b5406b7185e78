// The calls on what is kept as records, by noun.

#include <utility>

#include "runtime/local_api.hpp"

namespace pawl::runtime {

using core::FoundRecords;
using core::RawJson;
using core::RecordDecision;
using core::Result;
using core::TimePoint;

namespace {

core::Problem no_such(std::string_view what, const std::string& key) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no " + std::string{what} + " " + key};
}

}  // namespace

// `decide` is kept with its request in the command, since a group may be tried again.
template <typename Request>
Result<RawJson> LocalApi::decide_on(std::vector<core::RecordRef> refs, const Request& request,
                                    Result<RecordDecision> (*decide)(const Request&, FoundRecords,
                                                                     TimePoint)) {
  if (const core::Status valid = core::check(request); !valid) return valid.problem();
  auto answer = call_for<core::RecordAnswer>(core::ChangeRecords{
      .refs = std::move(refs), .decide = [request, decide](FoundRecords found, TimePoint now) {
        return decide(request, found, now);
      }});
  if (!answer) return answer.problem();
  return std::move(answer->body);
}

// Locks

Result<core::LockAnswer> LocalApi::acquire_lock(const core::AcquireLock& request) {
  auto answer =
      decide_on(std::vector{core::lock_ref(request.ns, request.key)}, request, core::decide_acquire);
  if (!answer) return answer.problem();
  core::Lock lock = core::lock_from(*answer);
  return core::LockAnswer{.acquired = lock.holder == request.holder, .lock = std::move(lock)};
}

Result<core::Lock> LocalApi::renew_lock(const core::RenewLock& request) {
  auto answer = decide_on(std::vector{core::lock_ref(request.ns, request.key)}, request, core::decide_renew);
  if (!answer) return answer.problem();
  return core::lock_from(*answer);
}

Result<core::Lock> LocalApi::release_lock(const core::ReleaseLock& request) {
  auto answer =
      decide_on(std::vector{core::lock_ref(request.ns, request.key)}, request, core::decide_release);
  if (!answer) return answer.problem();
  return core::lock_from(*answer);
}

Result<core::Lock> LocalApi::get_lock(const std::string& ns, const std::string& key) {
  const auto found = find_record(core::lock_ref(ns, key));
  if (!found) return found.problem();
  if (!found->record) return no_such("lock", key);
  return core::lock_at(*found->record, found->now);
}

}  // namespace pawl::runtime
