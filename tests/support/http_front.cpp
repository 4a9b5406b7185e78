#include "tests/support/http_front.hpp"

namespace pawl::testing {

HttpFront::HttpFront(const Behind& behind, core::Clock& clock, core::Random& random,
                     server::HttpLimits limits)
    : engine_(behind.engine),
      auth_(behind.api, clock),
      log_(clock, {.least = server::LogLevel::error}),
      http_({.limits = limits}, metrics_, log_),
      dispatch_(
          {.api = behind.api,
           .auth = auth_,
           .submit = behind.submit,
           .check_enqueue = [&api = behind.api](const auto& command) { return api.check_types(command); },
           .room_for_claim = [&api = behind.api](const auto& command) { return api.room_for(command); },
           .engine = behind.engine,
           .store = behind.store,
           .metrics = metrics_,
           .blocking = http_.blocking(),
           .version = "test"},
          clock, random, log_, {.hosts = {"127.0.0.1", "localhost"}}),
      port_(http_.port()),
      api_({.address = {.host = "127.0.0.1", .port = std::to_string(port_)}}, random) {
  http_.start(dispatch_);
}

HttpFront::~HttpFront() {
  http_.stop_accepting();
  http_.wait_for_connections(std::chrono::seconds{10}, [this] { engine_.abandon_waits(); });
}

}  // namespace pawl::testing
