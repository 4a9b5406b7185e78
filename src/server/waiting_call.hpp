#pragma once
// Calls that wait for an event: they are answered only while the caller's token is valid.

#include "server/request.hpp"
#include "server/services.hpp"

namespace pawl::server {

// Wraps `answer` of a waiting call. If the token ends during the wait, the caller is refused immediately, the
// wait ends as after a disconnect, and a later result is given back. A response after a wait checks the token
// once more. Other calls keep their answer unchanged.
[[nodiscard]] Answer answer_while_valid(Services& services, Request& request, Answer answer);

// Wraps `answer` for a call that may wait up to `wait`: it holds one of `Server::waits` until it replies. A
// problem if none is free.
[[nodiscard]] core::Result<Answer> with_place(Services& services, const Request& request, core::Duration wait,
                                              Answer answer);

}  // namespace pawl::server
