#pragma once
// Keeps a server busy over HTTP from one thread: each caller has a connection of its own with one request
// under way, and makes the next from its answer. Bytes in and out only, so that the load takes little of the
// machine that it shares with the server.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/progress.hpp"
#include "core/env.hpp"

namespace pawl::bench {

// The requests of one caller. `next` gets the body of the last answer (empty at first) and gives the next
// request; an empty one ends the caller.
struct HttpRequestText {
  std::string path = {};
  std::string body = {};
};
using HttpSource = std::function<HttpRequestText(std::string_view body)>;

class HttpLoad {
 public:
  // `address`: http://HOST:PORT of a numeric host.
  explicit HttpLoad(std::string_view address);

  // Until all callers have ended, or until the time is over and all answers are in.
  void run(const std::vector<HttpSource>& callers, const std::function<bool()>& is_over);

 private:
  class Connection;

  std::string host_;
  std::string port_;
};

}  // namespace pawl::bench
