#pragma once
// The last stage of a call that changes something: admission, then the commit loop. The call holds no thread
// while it waits for the commit.

#include <functional>
#include <optional>
#include <utility>

#include "server/deny.hpp"
#include "server/once.hpp"

namespace pawl::server {

// Replies to a result for which `Respond` has no response.
using ReadMore = std::function<void(const core::Answer& result, const Answer& answer)>;

template <typename Command>
struct Submission {
  Request request;
  Command command;
  Answer answer;
  // Compares the command with stored settings and completes it; a response if it must not be submitted. May
  // read the store unless LocalApi has everything in its cache.
  std::optional<Response> (*admit)(Services& services, Submission& submission);
  Respond respond = {};
  ReadMore read_more = {};
};

void warn_of_large_payload(Server& server, const core::Command& command);
[[nodiscard]] core::Reply reply_to(const Request& request, Respond respond, ReadMore read_more,
                                   Answer answer);

// Admits the command, submits it once per key if the request has one, and answers with its result. Moves to a
// thread that may block if the admission has to read the store.
template <typename Command>
void submit(Services& services, Submission<Command> made, bool may_block = false) {
  if (!may_block && !services.local.admission().is_cached(made.command)) {
    WorkOwner owner = made.request.owner(WorkKind::other);
    return services.server.blocking(std::move(owner), [&services, made = std::move(made)]() mutable {
      submit(services, std::move(made), true);
    });
  }
  if (auto refused = made.admit(services, made))
    return answer_or_deny(services, made.request, std::move(*refused), made.answer);
  core::Command command = once(made.request, std::move(made.command), made.respond);
  warn_of_large_payload(services.server, command);
  services.server.submit(std::move(command), reply_to(made.request, std::move(made.respond),
                                                      std::move(made.read_more), std::move(made.answer)));
}

}  // namespace pawl::server
