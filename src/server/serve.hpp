#pragma once
// A server from start to stop: the store, the engine, HTTP, signals.

#include <functional>
#include <string>

#include "core/env.hpp"
#include "core/node.hpp"
#include "server/http_server.hpp"
#include "server/log.hpp"
#include "store/store.hpp"

namespace pawl::server {

struct ServeOptions {
  HttpOptions http = {};
  Log::Options log = {};
  std::size_t waiting_claims_max = core::kWaitingClaimsMax;
  bool serves_anyone =
      false;  // --insecure: also callers from elsewhere need no token, until the first is made
  std::string version = {};
  core::Duration leader_ttl = core::kLeaderTtl;
};

// Serves until SIGTERM or SIGINT, then answers what is in flight and returns the exit code. Refused where it
// cannot listen. `ready` is told the port.
[[nodiscard]] core::Result<int> serve(store::Store& store, core::Clock& clock, core::Random& random,
                                      const ServeOptions& options,
                                      const std::function<void(std::uint16_t)>& ready);

}  // namespace pawl::server
