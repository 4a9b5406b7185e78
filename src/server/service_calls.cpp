// The service itself: is it up, can it serve, how is it doing, what can it do.

#include "server/body.hpp"
#include "server/calls.hpp"
#include "server/dashboard.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

using wire::Call;

Response healthz() { return json_response(200, R"({"status":"ok"})"); }

// A read of the store, which also fails where migrations are missing, and whether what was begun gets done.
Response readyz(Services& services, const Request& request) {
  const auto read = services.api.list_queues("default");
  if (!read) return problem_response(read.problem(), request.id);
  if (const core::Status moves = services.check_progress(); !moves)
    return problem_response(moves.problem(), request.id);
  return json_response(200, R"({"status":"ready"})");
}

Response metrics(Services& services, const Request& request) {
  Metrics::View view{.engine = services.engine.stats(), .waiting_claims = services.engine.waiters().size()};
  for (const std::string& ns : services.store.namespaces()) {
    auto queues = services.api.list_queues(ns);
    if (!queues) return problem_response(queues.problem(), request.id);
    view.queues.emplace(ns, std::move(*queues));
  }
  return {.body = services.metrics.text(view), .content_type = "text/plain; version=0.0.4"};
}

}  // namespace

void call_service(Services& services, Request request, Answer answer) {
  switch (request.route->call) {
    case Call::healthz: return answer(healthz());
    case Call::openapi: return answer(json_response(200, openapi_document(services.version)));
    case Call::home: return answer(dashboard_page(request, services.version));
    case Call::dashboard_asset: return answer(dashboard_asset(request));
    default: break;
  }
  services.blocking([&services, request = std::move(request), answer = std::move(answer)] {
    answer(request.route->call == Call::readyz ? readyz(services, request) : metrics(services, request));
  });
}

}  // namespace pawl::server
