#pragma once
// From a request to its answer: find the route, ask who may, call, count, log. The transport on one side and
// the calls on the other know nothing of each other.

#include <string>
#include <string_view>

#include "core/env.hpp"
#include "server/calls.hpp"
#include "server/log.hpp"
#include "server/once.hpp"
#include "server/request.hpp"

namespace pawl::server {

// What the transport has read.
struct Incoming {
  std::string method = {};
  std::string target = {};  // path and query
  std::string host = {};
  std::string origin = {};
  std::string authorization = {};
  std::string idempotency_key = {};
  std::string request_id = {};
  std::string accept = {};
  std::string accept_encoding = {};
  std::string if_none_match = {};
  std::string last_event_id = {};
  std::string content_type = {};
  std::string traceparent = {};
  std::string if_match = {};
  std::string body = {};
  bool is_local = false;
};

class Dispatch {
 public:
  struct Options {
    // Names that this server goes by, without port. A browser on another site cannot send one of them (DNS
    // rebinding).
    std::vector<std::string> hosts = {};
    std::size_t body_max = 4U << 20U;  // of a batch more, see `body_limit`
  };
  Dispatch(Services services, core::Clock& clock, core::Random& random, Log& log, Options options)
      : services_(std::move(services)),
        clock_(clock),
        random_(random),
        log_(log),
        options_(std::move(options)) {}

  // How large the body of this request may be; asked before it is read.
  [[nodiscard]] std::size_t body_limit(std::string_view method, std::string_view target) const;

  void handle(Incoming incoming, Answer answer);
  // Now, as a Date header has it.
  [[nodiscard]] std::string http_date() const;
  [[nodiscard]] core::MonotonicTime monotonic() const { return clock_.monotonic(); }

 private:
  [[nodiscard]] core::Result<Request> route(Incoming& incoming) const;
  [[nodiscard]] bool is_our_name(std::string_view host) const;
  [[nodiscard]] std::string new_request_id();
  void call_if_allowed(Request request, Answer answer);
  static void call(Services& services, Request request, Answer answer);

  Services services_;
  RunningKeys running_;
  core::Clock& clock_;
  core::Random& random_;
  Log& log_;
  const Options options_;
  std::mutex random_mutex_;
};

}  // namespace pawl::server
