#include "server/queue_calls.hpp"

#include <algorithm>
#include <array>

#include "server/body.hpp"
#include "server/reach.hpp"
#include "server/respond.hpp"
#include "server/slice.hpp"
#include "wire/task.hpp"

namespace pawl::server {

namespace {

using wire::Call;
using wire::Writer;

Response list_queues(Services& services, const Request& request) {
  const auto slice = read_query(request, read_slice);
  if (!slice) return problem_response(slice.problem(), request.id);
  auto queues = services.api.list_queues(request.ns);
  if (queues)
    std::erase_if(*queues, [&](const core::Queue& queue) { return !check_queue(request, queue.name); });
  return respond_page(request, page_of(queues, *slice), wire::write_queue);
}

Response follow_queues(Services& services, const Request& request) {
  if (!request.queues.empty()) {
    return problem_response({.code = core::ProblemCode::forbidden,
                             .detail = "the stream shows all queues, the token is bound to some of them"},
                            request.id);
  }
  auto stream = services.server.streams.open(request);
  if (!stream) return problem_response(stream.problem(), request.id);
  const auto followed = services.server.queue_watch.follow(request, *stream);
  return followed ? event_response(std::move(*stream)) : problem_response(followed.problem(), request.id);
}

Response queues(Services& services, const Request& request) {
  return request.wants_events ? follow_queues(services, request) : list_queues(services, request);
}

Response put_queue(Services& services, const Request& request) {
  auto patch = read_body(request, wire::read_queue_patch);
  if (!patch) return problem_response(patch.problem(), request.id);
  const std::string& name = request.parameters.at(1);
  core::Api& api = services.api;
  const auto done =
      api.set_queue({.ns = request.ns, .name = name, .patch = std::move(*patch), .by = request.actor});
  if (!done) return problem_response(done.problem(), request.id);
  const auto queues = api.list_queues(request.ns);
  if (!queues) return problem_response(queues.problem(), request.id);
  const auto queue =
      std::find_if(queues->begin(), queues->end(), [&](const core::Queue& one) { return one.name == name; });
  Writer out;
  wire::write_queue(out, queue != queues->end() ? *queue : core::Queue{.name = name});
  return json_response(200, out.take());
}

}  // namespace

std::span<const Handler> queue_calls() {
  static constexpr std::array kHandlers{
      Handler{.call = Call::list_queues, .run = replying<queues>},
      Handler{.call = Call::put_queue, .run = replying<put_queue>},
  };
  return kHandlers;
}

}  // namespace pawl::server
