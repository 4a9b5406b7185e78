#pragma once
// Joins each row of the route table (wire/routes.hpp) to the function that handles it. The rows of a noun are
// in its *_calls.cpp, below its handlers.

#include <cstdint>
#include <span>
#include <utility>

#include "server/deny.hpp"
#include "server/request.hpp"
#include "server/services.hpp"

namespace pawl::server {

enum class RunsOn : std::uint8_t {
  network,  // the connection's thread, so the handler must not block. Large bodies: as `blocking`
  blocking  // a thread of `Blocking`
};

struct Handler {
  // Replies through `answer` once, perhaps later and on another thread.
  using Run = void (*)(Services& services, Request request, Answer answer);

  wire::Call call = {};
  Run run = nullptr;
  RunsOn runs_on = RunsOn::blocking;
  bool is_bulk = false;  // commits page after page, so a repeated request does the remaining work
  bool waits = false;    // replies after an event, only while the caller's token is valid
};

// Makes a handler of a function that returns its response. The audit records a response that denies the call.
template <Response (*kRespond)(Services&, const Request&)>
// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature of Handler::Run
void replying(Services& services, Request request, Answer answer) {
  Response response = kRespond(services, request);
  answer_or_deny(services, request, std::move(response), answer);
}

[[nodiscard]] const Handler& handler_of(wire::Call call);

}  // namespace pawl::server
