// Engine's part that ends waits: of claims, awaited steps and lease notices.

#include "engine/engine.hpp"

namespace pawl::engine {

using core::Answer;

void Engine::end_waits() {
  for (const WaitingClaim& claim : waiters_.take_over(clock_.monotonic())) {
    claim.reply(Answer{std::vector<core::ClaimedTask>{}});
  }
  for (ReadyReply& ready : step_waits_.take_expired(clock_.monotonic()))
    ready.reply(Answer{std::move(ready.written)});
  lease_notices_.end_expired();
}

void Engine::end_waits_of(const std::string& ns, const std::string& worker_id) {
  for (const WaitingClaim& claim : waiters_.take_of_worker(ns, worker_id))
    claim.reply(Answer{std::vector<core::ClaimedTask>{}});
  lease_notices_.end_of(ns, worker_id);
}

void Engine::abandon_waits() {
  for (const WaitingClaim& claim : waiters_.take_all()) claim.reply(Answer{std::vector<core::ClaimedTask>{}});
  for (ReadyReply& ready : step_waits_.take_all()) ready.reply(Answer{std::move(ready.written)});
  lease_notices_.end_all();
}

}  // namespace pawl::engine
