#include "server/service_calls.hpp"

#include <array>

#include "server/body.hpp"
#include "server/dashboard.hpp"
#include "server/openapi.hpp"
#include "server/reach.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

using wire::Call;

Response healthz(Services& /*services*/, const Request& /*request*/) {
  return json_response(200, R"({"status":"ok"})");
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature of Handler::Run
void readyz(Services& services, Request request, Answer answer) {
  services.server.readiness.ask(
      [id = request.id, answer = std::move(answer)](const Readiness::Verdict& verdict) {
        if (verdict.status) return answer(json_response(200, R"({"status":"ready"})"));
        Response response = problem_response(verdict.status.problem(), id);
        response.cause = verdict.cause;
        answer(std::move(response));
      });
}

Response metrics(Services& services, const Request& request) {
  Metrics::View view{.engine = services.server.engine.stats(),
                     .waiting_claims = services.server.engine.waiters().size(),
                     .is_whole = sees_namespaces(request, {"*"})};
  for (const std::string& ns : services.server.store.namespaces()) {
    if (!sees_namespaces(request, {ns})) continue;
    auto queues = services.api.list_queues(ns);
    if (!queues) return problem_response(queues.problem(), request.id);
    view.queues.emplace(ns, std::move(*queues));
  }
  return {.body = services.server.metrics.text(view), .content_type = "text/plain; version=0.0.4"};
}

Response openapi(Services& services, const Request& /*request*/) {
  return json_response(200, openapi_document(services.server.settings.version));
}

Response home(Services& services, const Request& request) {
  return dashboard_page(request, services.server.settings.version);
}

Response asset(Services& /*services*/, const Request& request) { return dashboard_asset(request); }

}  // namespace

std::span<const Handler> service_calls() {
  static constexpr std::array kHandlers{
      Handler{.call = Call::healthz, .run = replying<healthz>, .runs_on = RunsOn::network},
      Handler{.call = Call::readyz, .run = readyz, .runs_on = RunsOn::network},
      Handler{.call = Call::metrics, .run = replying<metrics>},
      Handler{.call = Call::openapi, .run = replying<openapi>},
      Handler{.call = Call::home, .run = replying<home>, .runs_on = RunsOn::network},
      Handler{.call = Call::dashboard_asset, .run = replying<asset>, .runs_on = RunsOn::network},
  };
  return kHandlers;
}

}  // namespace pawl::server
