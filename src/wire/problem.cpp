#include "wire/problem.hpp"

namespace pawl::wire {

void write_problem(Writer& out, const core::Problem& problem, std::string_view request_id, int status) {
  const core::ProblemKind& kind = core::kind_of(problem.code);
  out.begin_object()
      .field("title", kind.title)
      .field("status", status == 0 ? kind.http_status : status)
      .field("code", kind.name)
      .field("detail", problem.detail);
  if (!request_id.empty()) out.field("request_id", request_id);
  if (!problem.errors.empty()) {
    out.key("errors").begin_array();
    for (const core::FieldError& error : problem.errors) {
      out.begin_object().field("field", error.field).field("message", error.message);
      if (error.line > 0) out.field("line", error.line);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

std::string problem_text(const core::Problem& problem, std::string_view request_id, int status) {
  Writer out;
  write_problem(out, problem, request_id, status);
  return out.take();
}

}  // namespace pawl::wire
