#pragma once
// Submits commands of calls that hold no thread while they wait for the commit.

#include <functional>
#include <utility>

#include "server/calls.hpp"
#include "server/once.hpp"

namespace pawl::server {

// Submits a command to the commit loop, once per key if the request has one, and answers with its result.
// `look` is called if `respond` returns no response.
using Look = std::function<void(const core::Answer&, const Answer&)>;
void submit(Services& services, const Request& request, core::Command command, Respond respond, Answer answer,
            Look look = {});

// Calls `then` immediately if the admission checks need only cached data, otherwise on a thread that may read
// the store.
template <typename Command, typename Then>
void at_gates(Services& services, Command command, Then then) {
  if (services.local.admission().is_cached(command)) return then(std::move(command));
  WorkOwner owner{.kind = WorkKind::other, .ns = command.ns};
  services.blocking(std::move(owner), [command = std::move(command), then = std::move(then)]() mutable {
    then(std::move(command));
  });
}

}  // namespace pawl::server
