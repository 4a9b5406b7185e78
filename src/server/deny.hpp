#pragma once
// Replies that a call is denied, after the audit has recorded it.

#include "server/request.hpp"
#include "server/services.hpp"

namespace pawl::server {

// Records the denial alone, or counted together with similar ones.
void deny(Services& services, const Request& request, const core::Problem& problem, Answer answer);
// The same for a response that already reports the denial.
void deny(Services& services, const Request& request, core::ProblemCode code, Response response,
          Answer answer);

// Sends a denial after it is recorded; other responses immediately.
void answer_or_deny(Services& services, const Request& request, Response response, const Answer& answer);

}  // namespace pawl::server
