#pragma once
// Implements every row of the route table. Commands go to the commit loop, which replies after the commit, so
// a waiting claim holds no thread; reads and multi-step calls run on the threads of `Blocking`.

#include <functional>

#include "core/api/api.hpp"
#include "core/api/run_api.hpp"
#include "engine/engine.hpp"
#include "runtime/local_api.hpp"
#include "server/auth.hpp"
#include "server/denials.hpp"
#include "server/event_streams.hpp"
#include "server/metrics.hpp"
#include "server/queue_watch.hpp"
#include "server/readiness.hpp"
#include "server/request.hpp"
#include "server/request_rates.hpp"
#include "server/revocation_watch.hpp"
#include "server/run_watch.hpp"
#include "server/threads.hpp"

namespace pawl::server {

struct Services {
  core::Api& api;
  core::RunApi& runs;
  runtime::LocalApi& local;  // implements `api` and `runs`
  Auth& auth;
  std::function<void(core::Command, core::Reply)> submit;
  engine::Engine& engine;
  store::Store& store;
  Metrics& metrics;
  Denials& denials;
  EventStreams& streams;
  RequestRates& rates;
  Places& waits;  // limits calls that wait for an event
  QueueWatch& queue_watch;
  RunWatch& run_watch;
  RevocationWatch& revocations;
  Readiness& readiness;
  Blocking blocking;
  std::string version;
  core::Duration lease_default = core::kLeaseDefault;    // for claims that set no lease
  core::Duration answers_kept = std::chrono::hours{24};  // responses to requests with an Idempotency-Key

  // A copy whose calls go through `other`.
  [[nodiscard]] Services with(runtime::LocalApi& other) const;
};

// Whether the call submits its own command and never blocks, so that it may run on a network thread. All
// other calls run on the threads of `Blocking`.
[[nodiscard]] bool submits_itself(wire::Call call);

// Replies that the call was denied and records the denial in the audit, alone or counted together with
// similar ones.
void deny(Services& services, const Request& request, const core::Problem& problem, Answer answer);
// The same for a response that already reports the denial.
void deny(Services& services, const Request& request, core::ProblemCode code, Response response,
          Answer answer);

// Wraps `answer` for a call that may wait up to `wait`: it holds one of `Services::waits` until it replies. A
// problem if none is free.
[[nodiscard]] core::Result<Answer> with_place(Services& services, const Request& request, core::Duration wait,
                                              Answer answer);

// Whether the caller may act on this queue.
[[nodiscard]] core::Status check_queue(const Request& request, const std::string& name);
// Whether the token covers all of these namespaces ("*": every namespace).
[[nodiscard]] bool sees_namespaces(const Request& request, const std::vector<std::string>& namespaces);
// Whether the token may only enqueue: such tokens must not see existing data.
[[nodiscard]] bool reads_nothing(const Request& request);

// One function per noun; each calls `answer` exactly once.
void call_task(Services& services, Request request, Answer answer);
void call_queue(Services& services, Request request, Answer answer);
void call_record(Services& services, Request request, Answer answer);
void call_definition(Services& services, Request request, Answer answer);
void call_run(Services& services, Request request, Answer answer);
void call_step(Services& services, Request request, Answer answer);
void call_schedule(Services& services, Request request, Answer answer);
void call_admin(Services& services, Request request, Answer answer);
void call_service(Services& services, Request request, Answer answer);

// The document at /openapi.json, generated from the route table.
[[nodiscard]] std::string openapi_document(const std::string& version);

}  // namespace pawl::server
