// Checkpoints over HTTP.

#include "server/body.hpp"
#include "server/calls.hpp"
#include "wire/writer.hpp"

namespace pawl::server {

namespace {

using wire::Writer;

Response list(Services& services, const Request& request) {
  const auto task = read_query(request, [](wire::ObjectReader& in) {
    if (!in.has("task_id")) in.mistake("task_id", "is required");
    return core::TaskId{in.optional_uuid("task_id").value_or(core::Uuid{})};
  });
  if (!task) return problem_response(task.problem(), request.id);
  const auto checkpoints = services.api.list_checkpoints(request.ns, *task);
  if (!checkpoints) return problem_response(checkpoints.problem(), request.id);
  Writer out;
  out.begin_object().key("items").begin_array();
  for (const core::Checkpoint& one : *checkpoints) {
    out.begin_object()
        .field("sequence", one.sequence)
        .field("type", one.type)
        .field("snapshot", one.snapshot)
        .field("metadata", one.metadata)
        .field("created_at", one.created_at)
        .end_object();
  }
  return json_response(200, out.end_array().key("next_cursor").null().end_object().take());
}

}  // namespace

void call_checkpoint(Services& services, Request request, Answer answer) {
  services.blocking([&services, request = std::move(request), answer = std::move(answer)] {
    answer(list(services, request));
  });
}

}  // namespace pawl::server
