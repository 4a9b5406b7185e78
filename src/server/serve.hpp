#pragma once
// Runs a server from start to stop: the store, the engine, HTTP and signals.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/env.hpp"
#include "runtime/runtime.hpp"
#include "server/auth.hpp"
#include "server/event_streams.hpp"
#include "server/http_server.hpp"
#include "server/log.hpp"
#include "server/request_rates.hpp"
#include "store/store.hpp"

namespace pawl::server {

// Limits for concurrently waiting calls. Each occupies a connection, so one caller must leave room for
// others.
[[nodiscard]] constexpr Places::Caps waits_for(std::int64_t connections_max) {
  const auto all = static_cast<int>(connections_max);
  return {.all = all, .of_one_namespace = (all + 1) / 2, .of_one_token = (all + 1) / 2};
}

struct ServeOptions {
  HttpOptions http = {};
  Log::Options log = {};
  runtime::RuntimeOptions runtime = {};
  Places::Caps streams = EventStreams::kCaps;
  Places::Caps waits = waits_for(HttpLimits{}.connections_max);
  RequestRates::Caps rates = {};
  Auth::Options auth = {};
  std::vector<std::string> hosts = {};  // from the setting server.hosts
  std::size_t body_max = 4U << 20U;
  std::size_t payload_warn = core::kPayloadBytesWarn;  // larger payloads are logged
  core::Duration lease_default = core::kLeaseDefault;
  core::Duration answers_kept = std::chrono::hours{24};  // responses to requests with an Idempotency-Key
  std::string version = {};
  // Time to answer open requests, and then to finish shutdown; after that the process is terminated.
  std::chrono::milliseconds stop_time{10'000};
  std::chrono::milliseconds end_time{3'000};
};

struct Serving {
  std::uint16_t port = 0;
  // An admin token, created at the first start on an address that others can reach. It is returned only here.
  std::optional<std::string> bootstrap_token = {};
};

// Serves until SIGTERM or SIGINT, then answers open requests and returns the exit code; if the store hangs,
// it terminates the process instead. Fails if it cannot listen. Calls `ready` once it serves.
[[nodiscard]] core::Result<int> serve(store::Store& store, core::Clock& clock, core::Random& random,
                                      const ServeOptions& options,
                                      const std::function<void(const Serving&)>& ready);

}  // namespace pawl::server
