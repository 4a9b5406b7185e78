#include "server/submit.hpp"

#include "server/body.hpp"

namespace pawl::server {

using core::Result;

void warn_of_large_payload(Server& server, const core::Command& command) {
  const std::size_t bytes = core::largest_payload(command);
  if (bytes <= server.settings.payload_warn) return;
  server.log.write(LogLevel::warning, "large payload",
                   {{"namespace", core::namespace_of(command)}, {"bytes", std::to_string(bytes)}});
}

// The response is encoded on the connection's thread, because the commit thread has the next group to
// process.
core::Reply reply_to(const Request& request, Respond respond, ReadMore read_more, Answer answer) {
  auto reply = [id = request.id, respond = std::move(respond), answer = std::move(answer),
                read_more = std::move(read_more)](const Result<core::Answer>& result) {
    if (!result) return answer(problem_response(result.problem(), id));
    if (const auto* replayed = std::get_if<core::Replayed>(&*result))
      return answer(kept_response(*replayed, id));
    if (auto response = respond(*result)) return answer(std::move(*response));
    read_more(*result, answer);
  };
  return [reply = std::move(reply), resume = request.resume](Result<core::Answer> result) mutable {
    resume([reply = std::move(reply), result = std::move(result)] { reply(result); });
  };
}

}  // namespace pawl::server
