#include "wire/problem.hpp"

#include "core/json/json.hpp"

namespace pawl::wire {

void write_problem(Writer& out, const core::Problem& problem, std::string_view request_id) {
  const core::ProblemKind& kind = core::kind_of(problem.code);
  out.begin_object()
      .field("title", kind.title)
      .field("status", kind.http_status)
      .field("code", kind.name)
      .field("detail", core::as_utf8(problem.detail));
  if (!request_id.empty()) out.field("request_id", request_id);
  if (!problem.errors.empty()) {
    out.key("errors").begin_array();
    for (const core::FieldError& error : problem.errors) {
      out.begin_object();
      out.field("field", core::as_utf8(error.field)).field("message", core::as_utf8(error.message));
      if (error.line > 0) out.field("line", error.line);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

std::string problem_text(const core::Problem& problem, std::string_view request_id) {
  Writer out;
  write_problem(out, problem, request_id);
  return out.take();
}

}  // namespace pawl::wire
