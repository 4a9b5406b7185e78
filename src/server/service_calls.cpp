// Calls about the service itself: health, readiness, metrics, its API description and the dashboard.

#include "server/body.hpp"
#include "server/calls.hpp"
#include "server/dashboard.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

using wire::Call;

Response healthz() { return json_response(200, R"({"status":"ok"})"); }

void readyz(Services& services, const Request& request, Answer answer) {
  services.readiness.ask([id = request.id, answer = std::move(answer)](const Readiness::Verdict& verdict) {
    if (verdict.status) return answer(json_response(200, R"({"status":"ready"})"));
    Response response = problem_response(verdict.status.problem(), id);
    response.cause = verdict.cause;
    answer(std::move(response));
  });
}

Response metrics(Services& services, const Request& request) {
  Metrics::View view{.engine = services.engine.stats(),
                     .waiting_claims = services.engine.waiters().size(),
                     .is_whole = sees_namespaces(request, {"*"})};
  for (const std::string& ns : services.store.namespaces()) {
    if (!sees_namespaces(request, {ns})) continue;
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
    case Call::readyz: return readyz(services, request, std::move(answer));
    case Call::openapi: return answer(json_response(200, openapi_document(services.version)));
    case Call::home: return answer(dashboard_page(request, services.version));
    case Call::dashboard_asset: return answer(dashboard_asset(request));
    default: break;
  }
  services.blocking([&services, request = std::move(request), answer = std::move(answer)] {
    answer(metrics(services, request));
  });
}

}  // namespace pawl::server
