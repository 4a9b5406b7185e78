#pragma once
// Converts results of Api calls to responses.

#include <utility>

#include "core/api/api.hpp"
#include "server/body.hpp"
#include "server/request.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

[[nodiscard]] inline Response refuse(const Request& request, const core::Problem& problem) {
  return problem_response(problem, request.id);
}

// `write` writes the value as JSON (Writer&, const T&).
template <typename T, typename Write>
Response respond(const Request& request, const core::Result<T>& result, Write write, int status = 200) {
  if (!result) return refuse(request, result.problem());
  wire::Writer out;
  write(out, *result);
  return json_response(status, out.take());
}

template <typename T, typename Write>
Response respond_page(const Request& request, const core::Result<core::Page<T>>& page, Write write) {
  return respond(request, page, [&](wire::Writer& out, const core::Page<T>& found) {
    out.begin_object().key("items").begin_array();
    for (const T& item : found.items) write(out, item);
    out.end_array().field("next_cursor", found.next_cursor).end_object();
  });
}

// Parses the page limit and cursor from a query.
[[nodiscard]] core::Result<core::ListRecords> list_of(const Request& request);

}  // namespace pawl::server
