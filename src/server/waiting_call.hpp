#pragma once
// Calls that wait for something to happen: they are answered only while the caller's token is valid.

#include "server/calls.hpp"

namespace pawl::server {

// `answer`, for what the call of `request` answers. If the token ends meanwhile, the caller is refused at
// once, what the call waits for ends as if the caller had gone, and what it is given later goes back. An
// answer that comes after a wait is compared with the token once more. Calls that do not wait keep their
// answer.
[[nodiscard]] Answer answer_while_valid(Services& services, Request& request, Answer answer);

}  // namespace pawl::server
