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
          .streams = streams,
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

// That it could not be written down denies nobody anything more.
void deny(Services& services, const Request& request, const core::Problem& problem, Answer answer) {
  deny(services, request, problem.code, problem_response(problem, request.id), std::move(answer));
}

void deny(Services& services, const Request& request, core::ProblemCode code, Response response,
          Answer answer) {
  core::AuditEntry entry = core::audit_of(
      request.actor, request.ns, "denied",
      std::string{wire::name_of(request.route->method)} + " " + std::string{request.route->path});
  entry.outcome = core::kind_of(code).name;
  const auto note = [entry = std::move(entry)](core::FoundRecords, core::TimePoint) {
    return core::Result<core::RecordDecision>{core::RecordDecision{.audit = {entry}}};
  };
  services.submit(core::ChangeRecords{.decide = note},
                  [response = std::move(response),
                   answer = std::move(answer)](const core::Result<core::Answer>&) { answer(response); });
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
