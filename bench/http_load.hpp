#pragma once
// Generates HTTP load from a single thread: each caller has its own connection with one request in flight,
// and builds the next request from the response. It only moves bytes, so that the load takes little CPU time
// from the server on the same machine.

#include <functional>
#include <string_view>
#include <vector>

#include "bench/http_connection.hpp"

namespace pawl::bench {

// The requests of one caller: receives the body of the last response (empty at first) and returns the next
// request; a request without a path ends the caller.
using HttpSource = std::function<HttpRequestText(std::string_view body)>;

// Runs until all callers have ended, or until `is_over` and all responses have arrived.
void run_callers(const HttpPlace& place, const std::vector<HttpSource>& callers,
                 const std::function<bool()>& is_over);

}  // namespace pawl::bench
