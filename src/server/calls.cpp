#include "server/calls.hpp"

namespace pawl::server {

Services Services::with(runtime::LocalApi& other) const {
  return {.api = other,
          .runs = other,
          .local = other,
          .auth = auth,
          .submit = submit,
          .engine = engine,
          .store = store,
          .metrics = metrics,
          .denials = denials,
          .streams = streams,
          .rates = rates,
          .waits = waits,
          .queue_watch = queue_watch,
          .run_watch = run_watch,
          .revocations = revocations,
          .readiness = readiness,
          .blocking = blocking,
          .version = version,
          .lease_default = lease_default,
          .answers_kept = answers_kept};
}

bool submits_itself(wire::Call call) {
  using wire::Call;
  return call == Call::enqueue_task || call == Call::enqueue_tasks || call == Call::claim_tasks ||
         call == Call::report_tasks || call == Call::report_task || call == Call::begin_step ||
         call == Call::complete_step || call == Call::fail_step || call == Call::suspend_run ||
         call == Call::write_steps || call == Call::write_steps_of_many || call == Call::start_run ||
         call == Call::await_notices;
}

// An audit failure does not change the response.
void deny(Services& services, const Request& request, const core::Problem& problem, Answer answer) {
  deny(services, request, problem.code, problem_response(problem, request.id), std::move(answer));
}

void deny(Services& services, const Request& request, core::ProblemCode code, Response response,
          Answer answer) {
  core::AuditEntry entry = core::audit_of(
      request.actor, request.ns, "denied",
      std::string{wire::name_of(request.route->method)} + " " + std::string{request.route->path});
  entry.outcome = core::kind_of(code).name;
  auto written = services.denials.note(std::move(entry), request.network);
  if (!written) return answer(std::move(response));
  services.submit(audit_command({std::move(*written)}),
                  [response = std::move(response),
                   answer = std::move(answer)](const core::Result<core::Answer>&) { answer(response); });
}

core::Result<Answer> with_place(Services& services, const Request& request, core::Duration wait,
                                Answer answer) {
  if (wait <= core::Duration{0}) return answer;
  auto place = services.waits.take(request.ns, request.actor.id);
  if (!place) return place.problem();
  return releasing(std::move(*place), std::move(answer));
}

core::Status check_queue(const Request& request, const std::string& name) {
  return core::check_queue(request.queues, name);
}

bool sees_namespaces(const Request& request, const std::vector<std::string>& namespaces) {
  return request.namespaces.empty() || core::covers_namespaces(request.namespaces, namespaces);
}

bool reads_nothing(const Request& request) {
  return request.actor.role == core::to_string(core::Role::enqueuer);
}

}  // namespace pawl::server
