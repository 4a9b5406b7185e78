#pragma once
// Handles a request from route lookup to response: it finds the route, authorizes the caller, runs the call,
// counts and logs. The transport and the calls do not depend on each other.

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/env.hpp"
#include "server/host_names.hpp"
#include "server/log.hpp"
#include "server/once.hpp"
#include "server/request.hpp"
#include "server/services.hpp"

namespace pawl::server {

// The result of admitting a header: a request whose body should be read, or an immediate response.
using Admission = std::variant<Request, Response>;

class Dispatch {
 public:
  struct Options {
    HostNames hosts = {};
    std::size_t body_max = 4U << 20U;     // larger for batches, see `body_limit`
    std::size_t calls_waiting_max = 512;  // calls of one namespace that may wait for a thread
  };
  Dispatch(Server& server, core::Random& random, Options options)
      : services_(server.api, server), clock_(server.clock), random_(random), options_(std::move(options)) {}
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;
  virtual ~Dispatch() = default;

  // Maximum body size of this request; checked before the body is read.
  [[nodiscard]] std::size_t body_limit(std::string_view method, std::string_view target) const;

  // Authenticates and authorizes a request from its header, so that rejected requests need no body. Does not
  // block; `decided` may be called before it returns, or on any thread.
  virtual void admit(Incoming incoming, std::function<void(Admission)> decided);
  // Runs an admitted request with its body. Does not block; `answer` may be called on any thread.
  virtual void call(Request request, Answer answer);
  // The current time in the format of a Date header.
  [[nodiscard]] std::string http_date();
  [[nodiscard]] core::MonotonicTime monotonic() const { return clock_.monotonic(); }

 private:
  [[nodiscard]] core::Result<Request> route(Incoming& incoming) const;
  // Whether the Host names this server.
  [[nodiscard]] core::Status check_name(const Incoming& incoming) const;
  [[nodiscard]] Provenance provenance_of(const Incoming& incoming) const;
  [[nodiscard]] std::string new_request_id();
  void authorize(Request request, const std::function<void(Admission)>& decided);
  void note_use(const std::string& token_id);
  struct Received {  // for metrics and the log
    std::string id;
    std::string method;
    const wire::Route* route = nullptr;
    core::MonotonicTime at;
  };
  [[nodiscard]] Received received_now(const Request& request) const;
  // `unavailable` if the request has waited too long for a thread.
  [[nodiscard]] core::Status check_wait(const Request& request) const;
  // `resource_exhausted` if too many calls of the namespace wait for a thread.
  [[nodiscard]] core::Status check_line(const Request& request) const;
  // Counts and logs the response and adds the request id.
  [[nodiscard]] Response record_response(const Received& received, Response response);
  // On a thread of `Blocking`, after a wait for it.
  void run_blocking(const Handler& handler, Request request, const Answer& answer);

  Services services_;
  RunningKeys running_;
  core::Clock& clock_;
  core::Random& random_;
  const Options options_;
  std::mutex random_mutex_;
  std::mutex date_mutex_;
  core::TimePoint date_of_ = {};  // the second that `date_` shows
  std::string date_;
};

}  // namespace pawl::server
