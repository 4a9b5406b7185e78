#include "server/calls.hpp"

namespace pawl::server {

Services Services::with(core::Api& other) const {
  return {.api = other,
          .local = local,
          .auth = auth,
          .submit = submit,
          .engine = engine,
          .store = store,
          .metrics = metrics,
          .streams = streams,
          .queue_watch = queue_watch,
          .blocking = blocking,
          .version = version,
          .check_progress = check_progress,
          .lease_default = lease_default,
          .answers_kept = answers_kept};
}

// That it could not be written down denies nobody anything more.
void deny(Services& services, const Request& request, const core::Problem& problem, const Answer& answer) {
  core::AuditEntry entry = core::audit_of(
      request.actor, request.ns, "denied",
      std::string{wire::name_of(request.route->method)} + " " + std::string{request.route->path});
  entry.outcome = core::kind_of(problem.code).name;
  (void)services.api.append_audit({std::move(entry)});
  answer(problem_response(problem, request.id));
}

}  // namespace pawl::server
