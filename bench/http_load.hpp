#pragma once
// Keeps a server busy over HTTP from one thread: each caller has a connection of its own with one request
// under way, and makes the next from its answer. Bytes in and out only, so that the load takes little of the
// machine that it shares with the server.

#include <functional>
#include <string_view>
#include <vector>

#include "bench/http_connection.hpp"

namespace pawl::bench {

// The requests of one caller: gets the body of the last answer (empty at first) and gives the next request;
// one without a path ends the caller.
using HttpSource = std::function<HttpRequestText(std::string_view body)>;

// Until all callers have ended, or `is_over` and all answers are in.
void run_callers(const HttpPlace& place, const std::vector<HttpSource>& callers,
                 const std::function<bool()>& is_over);

}  // namespace pawl::bench
