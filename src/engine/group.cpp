#include "engine/group.hpp"

#include <utility>

namespace pawl::engine {

void Group::add(Request& request, core::Clock& clock) {
  const auto* once = std::get_if<core::DoOnce>(&request.command);
  core::Command& command = once == nullptr ? request.command : once->command->value;
  auto* claim = std::get_if<core::ClaimTasks>(&command);
  if (claim == nullptr) {
    commands.push_back(&command);
    onces.push_back(once);
    replies.push_back(std::move(request.reply));
    return;
  }
  const core::MonotonicTime now = clock.monotonic();
  const core::MonotonicTime until = now + claim->wait;
  WaitingClaim& waiting = claims.emplace_back(WaitingClaim{
      .claim = std::move(*claim), .reply = std::move(request.reply), .submitted_at = now, .until = until});
  if (once != nullptr) waiting.once = *once;
}

void Group::refuse(const core::Problem& problem) {
  const auto refuse_one = [&](core::Reply& reply) {
    done.replies.push_back(std::move(reply));
    done.answers.emplace_back(problem);
  };
  for (core::Reply& reply : replies) refuse_one(reply);
  for (WaitingClaim& claim : claims) refuse_one(claim.reply);
  forget_commands();
  claims.clear();
}

void Group::forget_commands() {
  commands.clear();
  onces.clear();
  replies.clear();
}

std::size_t claimed_count(const core::Answer& answer) {
  return std::get<std::vector<core::ClaimedTask>>(answer).size();
}

}  // namespace pawl::engine
