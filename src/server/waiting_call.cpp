#include "server/waiting_call.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "core/base/canary.hpp"
#include "server/handlers.hpp"

namespace pawl::server {

namespace {

// Responses within this time rely on a token check that is recent enough.
constexpr core::Duration kFresh = std::chrono::milliseconds{50};

// Thread-safe.
class WaitingCall {
 public:
  WaitingCall(Services& services, const Request& request, Answer answer)
      : services_(services),
        request_({.id = request.id,
                  .route = request.route,
                  .ns = request.ns,
                  .authorization = request.authorization,
                  .is_local = request.is_local}),
        began_at_(services.server.engine.clock().monotonic()),
        answer_(std::move(answer)) {}

  [[nodiscard]] const Request& request() const { return request_; }
  void is_watched_as(std::uint64_t number) { number_ = number; }

  void end_with(std::function<void()> gone) {
    const std::lock_guard lock{mutex_};
    gone_ = std::move(gone);
  }

  void revoke(const core::Problem& problem) {
    std::function<void()> gone;
    is_revoked_ = true;  // first: a response that arrives too late reads it
    const Answer answer = take_answer(&gone);
    if (!answer) return;
    if (gone) gone();
    answer(problem_response(problem, request_.id));
  }

  // `self` is kept until the response.
  void finish(Response response, const std::shared_ptr<WaitingCall>& self) {
    services_.server.revocations.forget(request_, number_);
    if (response.events) services_.server.revocations.watch_stream(request_, response.events);
    const bool is_fresh = services_.server.engine.clock().monotonic() - began_at_ < kFresh;
    if (is_fresh || core::planted(core::Canary::revocation_not_followed)) return give(std::move(response));
    if (services_.server.auth.is_cached(request_)) return give_if_valid(std::move(response));
    services_.server.blocking(
        request_.owner(WorkKind::other),
        [self, response = std::move(response)]() mutable { self->give_if_valid(std::move(response)); });
  }

 private:
  // Empty if it was already taken.
  [[nodiscard]] Answer take_answer(std::function<void()>* gone = nullptr) {
    const std::lock_guard lock{mutex_};
    if (gone != nullptr) *gone = std::exchange(gone_, nullptr);
    return std::exchange(answer_, nullptr);
  }

  void take_back(const Response& response) const {
    if (response.undelivered && (is_revoked_ || !response.is_kept)) response.undelivered();
    if (response.events) response.events->end();
  }

  void give(Response response) {
    const Answer answer = take_answer();
    if (!answer) return take_back(response);
    answer(std::move(response));
  }

  void give_if_valid(Response response) {
    const auto allowed = services_.server.auth.allow(request_);
    if (allowed) return give(std::move(response));
    is_revoked_ = true;
    take_back(response);
    give(problem_response(allowed.problem(), request_.id));
  }

  Services& services_;
  const Request request_;  // what Auth checks
  const core::MonotonicTime began_at_;
  std::uint64_t number_ = 0;
  std::atomic<bool> is_revoked_ = false;
  std::mutex mutex_;  // guards the members below
  Answer answer_;
  std::function<void()> gone_ = {};
};

}  // namespace

Answer answer_while_valid(Services& services, Request& request, Answer answer) {
  const bool may_wait = handler_of(request.route->call).waits || request.wants_events;
  if (request.actor.id.empty() || !may_wait) return answer;
  const auto call = std::make_shared<WaitingCall>(services, request, std::move(answer));
  const std::weak_ptr<WaitingCall> weak{call};
  call->is_watched_as(
      services.server.revocations.watch(call->request(), [weak](const core::Problem& problem) {
        if (const auto waiting = weak.lock()) waiting->revoke(problem);
      }));
  request.when_gone = [weak, forward = std::move(request.when_gone)](std::function<void()> gone) {
    if (const auto waiting = weak.lock()) waiting->end_with(gone);
    if (forward) forward(std::move(gone));
  };
  return [call](Response response) { call->finish(std::move(response), call); };
}

core::Result<Answer> with_place(Services& services, const Request& request, core::Duration wait,
                                Answer answer) {
  if (wait <= core::Duration{0}) return answer;
  auto place = services.server.waits.take(request.ns, request.actor.id);
  if (!place) return place.problem();
  return releasing(std::move(*place), std::move(answer));
}

}  // namespace pawl::server
