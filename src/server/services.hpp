#pragma once
// The objects of one server that its calls share, and what one call sees of them.

#include <functional>
#include <string>

#include "core/api/api.hpp"
#include "core/api/run_api.hpp"
#include "core/base/env.hpp"
#include "engine/engine.hpp"
#include "runtime/local_api.hpp"
#include "server/auth.hpp"
#include "server/denials.hpp"
#include "server/event_streams.hpp"
#include "server/log.hpp"
#include "server/metrics.hpp"
#include "server/places.hpp"
#include "server/queue_watch.hpp"
#include "server/readiness.hpp"
#include "server/request_rates.hpp"
#include "server/revocation_watch.hpp"
#include "server/run_watch.hpp"
#include "server/threads.hpp"

namespace pawl::server {

struct CallSettings {
  Auth::Options auth = {};
  Places::Caps streams = EventStreams::kCaps;
  Places::Caps waits = {};
  RequestRates::Caps rates = {};
  std::size_t payload_warn = core::kPayloadBytesWarn;    // larger payloads are logged
  core::Duration lease_default = core::kLeaseDefault;    // for claims that set no lease
  core::Duration answers_kept = std::chrono::hours{24};  // responses to requests with an Idempotency-Key
  std::string version = {};
};

// Later members use earlier ones.
struct Server {
  runtime::LocalApi& api;
  std::function<void(core::Command, core::Reply)> submit;  // to the commit loop
  engine::Engine& engine;
  store::Store& store;
  core::Clock& clock;
  Metrics& metrics;
  Log& log;
  Blocking blocking;
  Later later;
  Readiness::CheckProgress check_progress;
  CallSettings settings = {};

  Auth auth{api, clock, settings.auth};
  Denials denials{clock, later,
                  [this](std::vector<core::AuditEntry> entries) { write_audit(std::move(entries)); }};
  EventStreams streams{settings.streams};
  RequestRates rates{clock, settings.rates};
  Places waits{{.what = "waiting calls", .setting = "limits.claims_waiting"}, settings.waits};
  QueueWatch queue_watch{api, auth, blocking, later};
  RunWatch run_watch{api, engine.run_watch(), auth, {.blocking = blocking, .later = later}};
  RevocationWatch revocations{auth, blocking, later};
  Readiness readiness{api, check_progress, blocking, later};

  void write_audit(std::vector<core::AuditEntry> entries) const;
};

// A call with an Idempotency-Key has an Api of its own, which stores the key with the first command.
struct Services {
  Services(runtime::LocalApi& api_of_call, Server& of)
      : api(api_of_call), runs(api_of_call), local(api_of_call), server(of) {}

  core::Api& api;
  core::RunApi& runs;
  runtime::LocalApi& local;  // implements `api` and `runs`
  Server& server;
};

}  // namespace pawl::server
