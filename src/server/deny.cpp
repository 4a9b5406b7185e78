#include "server/deny.hpp"

namespace pawl::server {

void deny(Services& services, const Request& request, const core::Problem& problem, Answer answer) {
  deny(services, request, problem.code, problem_response(problem, request.id), std::move(answer));
}

// An audit failure does not change the response.
void deny(Services& services, const Request& request, core::ProblemCode code, Response response,
          Answer answer) {
  core::AuditEntry entry = core::audit_of(
      request.actor, request.ns, "denied",
      std::string{wire::name_of(request.route->method)} + " " + std::string{request.route->path});
  entry.outcome = core::kind_of(code).name;
  auto written = services.server.denials.note(std::move(entry), request.network);
  if (!written) return answer(std::move(response));
  services.server.submit(audit_command({std::move(*written)}),
                         [response = std::move(response), answer = std::move(answer)](
                             const core::Result<core::Answer>&) { answer(response); });
}

void answer_or_deny(Services& services, const Request& request, Response response, const Answer& answer) {
  if (response.status != 403) return answer(std::move(response));
  deny(services, request, core::ProblemCode::forbidden, std::move(response), answer);
}

}  // namespace pawl::server
