#pragma once
// Calls that hold no thread while they wait for their commit.

#include <functional>
#include <utility>

#include "server/calls.hpp"
#include "server/once.hpp"

namespace pawl::server {

// Hands a command to the commit loop, once where the request is keyed, and answers with what comes of it.
// `look` is called where `respond` has no answer.
using Look = std::function<void(const core::Answer&, const Answer&)>;
void submit(Services& services, const Request& request, core::Command command, Respond respond, Answer answer,
            Look look = {});

// Goes on with `then` here if the gates find what they need in memory, else where they may read the store.
template <typename Command, typename Then>
void at_gates(Services& services, Command command, Then then) {
  if (services.local.is_at_hand(command)) return then(std::move(command));
  WorkOwner owner{.kind = WorkKind::other, .ns = command.ns};
  services.blocking(std::move(owner), [command = std::move(command), then = std::move(then)]() mutable {
    then(std::move(command));
  });
}

}  // namespace pawl::server
