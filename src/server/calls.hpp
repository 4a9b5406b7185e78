#pragma once
// What each row of the route table does. Commands are handed to the commit loop and answered from it, so that
// a waiting claim holds no thread; reads and calls of several steps run on the threads of `Blocking`.

#include <functional>

#include "core/api.hpp"
#include "core/run_api.hpp"
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
  runtime::LocalApi& local;  // behind it
  Auth& auth;
  std::function<void(core::Command, core::Reply)> submit;
  engine::Engine& engine;
  store::Store& store;
  Metrics& metrics;
  Denials& denials;
  EventStreams& streams;
  RequestRates& rates;
  Places& waits;  // of calls that are answered when something has happened
  QueueWatch& queue_watch;
  RunWatch& run_watch;
  RevocationWatch& revocations;
  Readiness& readiness;
  Blocking blocking;
  std::string version;
  core::Duration lease_default = core::kLeaseDefault;    // of a claim that does not say
  core::Duration answers_kept = std::chrono::hours{24};  // of requests with an Idempotency-Key

  // The same with another way to the calls.
  [[nodiscard]] Services with(runtime::LocalApi& other) const;
};

// Whether a call hands its command over by itself and waits for nothing, so that it may run on a thread of
// the network. The others run on those of `Blocking`.
[[nodiscard]] bool submits_itself(wire::Call call);

// Answers that a call was denied, which goes into the audit: alone, or counted with others like it.
void deny(Services& services, const Request& request, const core::Problem& problem, Answer answer);
// The same where the response says so already.
void deny(Services& services, const Request& request, core::ProblemCode code, Response response,
          Answer answer);

// The answer of a call that waits for so long, which holds one of `Services::waits` until then; refused where
// there is none.
[[nodiscard]] core::Result<Answer> with_place(Services& services, const Request& request, core::Duration wait,
                                              Answer answer);

// Whether the one who asks may do something in this queue.
[[nodiscard]] core::Status check_queue(const Request& request, const std::string& name);
// Whether the token is for all of these namespaces ("*": for every one).
[[nodiscard]] bool sees_namespaces(const Request& request, const std::vector<std::string>& namespaces);
// The token only enqueues: what was there before it is not shown to it.
[[nodiscard]] bool reads_nothing(const Request& request);

// By noun; each answers exactly once.
void call_task(Services& services, Request request, Answer answer);
void call_queue(Services& services, Request request, Answer answer);
void call_record(Services& services, Request request, Answer answer);
void call_definition(Services& services, Request request, Answer answer);
void call_run(Services& services, Request request, Answer answer);
void call_step(Services& services, Request request, Answer answer);
void call_schedule(Services& services, Request request, Answer answer);
void call_admin(Services& services, Request request, Answer answer);
void call_service(Services& services, Request request, Answer answer);

// The document at /openapi.json, made from the route table.
[[nodiscard]] std::string openapi_document(const std::string& version);

}  // namespace pawl::server
