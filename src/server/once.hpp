#pragma once
// Idempotency-Key: the same key with the same request gets the first one's answer again, with another request
// 422, while the first is under way 409. Only successes are kept, for a time
// (retention.idempotency).

#include <functional>

#include "server/calls.hpp"
#include "server/request.hpp"

namespace pawl::server {

// A POST with a key, except for those that can be repeated anyway: a report gets the same answer by itself,
// and a claim that is repeated may get other tasks. A new token's secret is shown once and not kept.
[[nodiscard]] bool is_keyed(const Request& request);

// On a thread that may wait. `call` is what is to happen once.
void call_once(Services& services, Request request, Answer answer,
               const std::function<void(Request, Answer)>& call);

}  // namespace pawl::server
