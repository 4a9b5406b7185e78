#include "server/request.hpp"

#include "wire/problem.hpp"

namespace pawl::server {

Response json_response(int status, std::string body) { return {.status = status, .body = std::move(body)}; }

// Proxies must neither cache nor buffer events.
Response event_response(std::shared_ptr<EventStream> events) {
  return {.content_type = "text/event-stream",
          .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}},
          .events = std::move(events)};
}

Response problem_response(const core::Problem& problem, const std::string& request_id) {
  Response response{.status = core::kind_of(problem.code).http_status,
                    .body = wire::problem_text(problem, request_id),
                    .content_type = "application/problem+json"};
  if (response.status >= 500) response.cause = problem.detail;
  if (problem.code == core::ProblemCode::resource_exhausted)
    response.headers.emplace_back("Retry-After", "1");
  if (problem.code == core::ProblemCode::unauthorized)
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace pawl::server
