#include "server/submit.hpp"

#include "server/body.hpp"

namespace pawl::server {

using core::Result;

void submit(Services& services, const Request& request, core::Command command, Respond respond, Answer answer,
            Look look) {
  core::Command done = once(request, std::move(command), respond);
  auto say = [id = request.id, respond = std::move(respond), answer = std::move(answer),
              look = std::move(look)](const Result<core::Answer>& result) {
    if (!result) return answer(problem_response(result.problem(), id));
    if (const auto* replayed = std::get_if<core::Replayed>(&*result))
      return answer(kept_response(*replayed, id));
    if (auto response = respond(*result)) return answer(std::move(*response));
    look(*result, answer);
  };
  // The response is encoded on the connection's thread, because the commit thread has the next group to
  // process.
  services.submit(std::move(done),
                  [say = std::move(say), resume = request.resume](Result<core::Answer> result) mutable {
                    resume([say = std::move(say), result = std::move(result)] { say(result); });
                  });
}

}  // namespace pawl::server
