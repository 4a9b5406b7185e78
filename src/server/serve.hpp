#pragma once
// A server from start to stop: the store, the engine, HTTP, signals.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/env.hpp"
#include "runtime/runtime.hpp"
#include "server/auth.hpp"
#include "server/http_server.hpp"
#include "server/log.hpp"
#include "store/store.hpp"

namespace pawl::server {

struct ServeOptions {
  HttpOptions http = {};
  Log::Options log = {};
  runtime::RuntimeOptions runtime = {};
  Auth::Options auth = {};
  std::vector<std::string> hosts = {};  // of the setting server.hosts
  std::size_t body_max = 4U << 20U;
  std::size_t payload_warn = core::kPayloadBytesWarn;  // what is larger is logged
  core::Duration lease_default = core::kLeaseDefault;
  core::Duration answers_kept = std::chrono::hours{24};  // of requests with an Idempotency-Key
  std::string version = {};
  // To answer what is under way, and then to end what was begun; one that takes longer is cut off.
  std::chrono::milliseconds stop_time{10'000};
  std::chrono::milliseconds end_time{3'000};
};

struct Serving {
  std::uint16_t port = 0;
  // An admin's, made at the first start where others can reach the server. It is shown to no one else.
  std::optional<std::string> bootstrap_token = {};
};

// Serves until SIGTERM or SIGINT, then answers what is in flight and returns the exit code; where the store
// hangs it ends the process instead. Refused where it cannot listen. Calls `ready` once it serves.
[[nodiscard]] core::Result<int> serve(store::Store& store, core::Clock& clock, core::Random& random,
                                      const ServeOptions& options,
                                      const std::function<void(const Serving&)>& ready);

}  // namespace pawl::server
