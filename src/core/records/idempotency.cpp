#include "core/records/idempotency.hpp"

#include <array>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/json/body.hpp"
#include "core/records/token.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, 3> kKeyStatusNames{"pending", "completed", "failed"};
constexpr Duration kTtlMin = std::chrono::seconds{1};

Body body_of(const IdempotencyKey& key) {
  Body body;
  body.put("key", key.key);
  body.put("status", static_cast<int>(key.status));
  body.put("request_hash", key.request_hash);
  body.put("response", key.response);
  body.put("task_id", key.task_id);
  body.put("queue", key.queue);
  body.put("task_fence", key.task_fence);
  body.put("created_at", key.created_at);
  body.put("completed_at", key.completed_at);
  body.put("expires_at", key.expires_at);
  return body;
}

IdempotencyKey key_from(const Body& body) {
  return {.key = body.text_of("key"),
          .status = static_cast<IdempotencyStatus>(body.get<int>("status")),
          .request_hash = body.text_of("request_hash"),
          .response = body.raw_of("response"),
          .task_id = body.text_of("task_id"),
          .queue = body.text_of("queue"),
          .task_fence = body.get<std::int64_t>("task_fence"),
          .created_at = body.time_of("created_at"),
          .completed_at = body.optional_time_of("completed_at"),
          .expires_at = body.time_of("expires_at")};
}

RawJson answer_of(bool begun, const IdempotencyKey& key) {
  Body body = body_of(key);
  body.put("begun", begun);
  return body.text();
}

RecordDecision put(const std::string& ns, bool begun, const IdempotencyKey& key) {
  RecordDecision decision{.answer = answer_of(begun, key)};
  decision.changes.push_back(
      {.ref = idempotency_ref(ns, key.key), .body = body_of(key).text(), .expires_at = key.expires_at});
  return decision;
}

std::optional<IdempotencyKey> live(FoundRecords found, TimePoint now) {
  return found[0] ? idempotency_at(*found[0], now) : std::nullopt;
}

Result<RecordDecision> end(const EndIdempotency& request, IdempotencyStatus status, FoundRecords found,
                           TimePoint now) {
  auto key = live(found, now);
  if (!key) {
    return Problem{.code = ProblemCode::not_found,
                   .detail = fmt::format("there is no idempotency key {}", request.key)};
  }
  if (const Status allowed = check_reach(request.bound_to, *key); !allowed) return allowed.problem();
  if (key->status == status && key->response == request.response)
    return RecordDecision{.answer = answer_of(false, *key)};
  if (key->status != IdempotencyStatus::pending) {
    return Problem{
        .code = ProblemCode::already_completed,
        .detail = fmt::format("idempotency key {} is {} already", request.key, to_string(key->status))};
  }
  key->status = status;
  key->response = request.response;
  key->completed_at = now;
  return put(request.ns, false, *key);
}

}  // namespace

std::string_view to_string(IdempotencyStatus status) {
  return kKeyStatusNames.at(static_cast<std::size_t>(status));
}

Status check_reach(const std::vector<std::string>& bound_to, const IdempotencyKey& key) {
  if (bound_to.empty() || planted(Canary::token_queue_not_compared)) return Done{};
  if (!key.queue.empty()) return check_queue(bound_to, key.queue);
  return Problem{
      .code = ProblemCode::forbidden,
      .detail = fmt::format("idempotency key {} is of no queue: a token that is bound to queues needs the "
                            "task_id of a task in one of them",
                            key.key)};
}

RecordRef idempotency_ref(const std::string& ns, const std::string& key) {
  return {.kind = RecordKind::idempotency, .ns = ns, .key = key};
}

Status check(const BeginIdempotency& request) {
  return first_of({check_namespace(request.ns), check_key("key", request.key),
                   check_key("request_hash", request.request_hash),
                   check_duration("ttl", request.ttl, kTtlMin, kDurationMax)});
}

Status check(const EndIdempotency& request) {
  return first_of(
      {check_namespace(request.ns), check_key("key", request.key), check_json("response", request.response)});
}

std::optional<IdempotencyKey> idempotency_at(const Record& record, TimePoint now) {
  IdempotencyKey key = key_from(Body{record.body});
  return key.expires_at <= now && !planted(Canary::key_never_expires) ? std::nullopt
                                                                      : std::optional{std::move(key)};
}

Result<RecordDecision> decide_begin(const BeginIdempotency& request, const IdempotencyLeases& leases,
                                    FoundRecords found, TimePoint now) {
  const auto known = live(found, now);
  const bool is_new = !known || known->status == IdempotencyStatus::failed;
  const std::string task_id = request.task_id ? to_string(*request.task_id) : "";
  const IdempotencyKey begun{.key = request.key,
                             .request_hash = request.request_hash,
                             .task_id = task_id,
                             .queue = leases.own_queue,
                             .task_fence = leases.own_fence,
                             .created_at = now,
                             .expires_at = now + request.ttl};
  const Status allowed = first_of(
      {known ? check_reach(request.bound_to, *known) : Status{Done{}}, check_reach(request.bound_to, begun)});
  if (!allowed) return allowed.problem();
  if (!is_new) {
    if (known->request_hash != request.request_hash && !planted(Canary::begun_hash_not_compared)) {
      return Problem{.code = ProblemCode::idempotency_mismatch,
                     .detail = fmt::format("idempotency key {} was begun for another request", request.key)};
    }
    if (known->status == IdempotencyStatus::completed)
      return RecordDecision{.answer = answer_of(false, *known)};
    // The same holder begins again if it did not receive the first answer.
    const bool is_its_own =
        leases.own_fence != 0 && known->task_id == task_id && known->task_fence == leases.own_fence;
    const bool is_orphan = leases.lost_version != 0 && found[0]->version == leases.lost_version;
    if (!is_its_own && !is_orphan && !planted(Canary::pending_key_handed_out)) {
      return Problem{
          .code = ProblemCode::conflict,
          .detail = fmt::format("idempotency key {} is pending: another caller has begun it", request.key)};
    }
  }
  return put(request.ns, true, begun);
}

Result<RecordDecision> decide_complete(const EndIdempotency& request, FoundRecords found, TimePoint now) {
  return end(request, IdempotencyStatus::completed, found, now);
}

Result<RecordDecision> decide_fail(const EndIdempotency& request, FoundRecords found, TimePoint now) {
  return end(request, IdempotencyStatus::failed, found, now);
}

IdempotencyBegun idempotency_from(const RawJson& answer) {
  const Body body{answer};
  return {.begun = body.get<bool>("begun"), .key = key_from(body)};
}

Result<std::optional<RawJson>> look_up(const DoOnce& once, const std::optional<Record>& found,
                                       TimePoint now) {
  const auto known = found ? idempotency_at(*found, now) : std::nullopt;
  if (!known || known->status != IdempotencyStatus::completed) return std::optional<RawJson>{};
  if (known->request_hash != once.request_hash && !planted(Canary::request_hash_not_compared)) {
    return Problem{.code = ProblemCode::idempotency_mismatch,
                   .detail = "this idempotency key was used for another request"};
  }
  return std::optional{known->response};
}

RecordChange kept(const DoOnce& once, const RawJson& response, TimePoint now) {
  const IdempotencyKey key{.key = once.key,
                           .status = IdempotencyStatus::completed,
                           .request_hash = once.request_hash,
                           .response = response,
                           .created_at = now,
                           .completed_at = now,
                           .expires_at = now + once.ttl};
  return {
      .ref = idempotency_ref(once.ns, once.key), .body = body_of(key).text(), .expires_at = key.expires_at};
}

Result<RecordDecision> decide_expire(FoundRecords found, TimePoint now) {
  RecordDecision decision;
  for (const std::optional<Record>& record : found) {
    if (record && record->expires_at && *record->expires_at <= now)
      decision.changes.push_back({.ref = record->ref});
  }
  return decision;
}

}  // namespace pawl::core
