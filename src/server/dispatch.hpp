#pragma once
// From a request to its answer: find the route, ask who may, call, count, log. The transport on one side and
// the calls on the other know nothing of each other.

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

#include "core/env.hpp"
#include "server/calls.hpp"
#include "server/host_names.hpp"
#include "server/log.hpp"
#include "server/once.hpp"
#include "server/request.hpp"

namespace pawl::server {

// What a header decides: a request that wants its body, or already the answer.
using Admission = std::variant<Request, Response>;

class Dispatch {
 public:
  struct Options {
    HostNames hosts = {};
    std::size_t body_max = 4U << 20U;     // of a batch more, see `body_limit`
    std::size_t calls_waiting_max = 512;  // for a thread, of one namespace
  };
  Dispatch(Services services, core::Clock& clock, core::Random& random, Log& log, Options options)
      : services_(std::move(services)),
        clock_(clock),
        random_(random),
        log_(log),
        options_(std::move(options)) {}

  // How large the body of this request may be; asked before it is read.
  [[nodiscard]] std::size_t body_limit(std::string_view method, std::string_view target) const;

  // Whether it asks how the server is, which it may do also where there is no room for others.
  [[nodiscard]] static bool is_probe(std::string_view method, std::string_view target);

  // From the header alone: who asks, and whether they may. What is refused needs no body. Does not wait;
  // `decided` may be called before it returns, or on any thread.
  void admit(Incoming incoming, std::function<void(Admission)> decided);
  // What was admitted, with its body. The same holds.
  void call(Request request, Answer answer);
  // Now, as a Date header has it.
  [[nodiscard]] std::string http_date();
  [[nodiscard]] core::MonotonicTime monotonic() const { return clock_.monotonic(); }

 private:
  [[nodiscard]] core::Result<Request> route(Incoming& incoming) const;
  [[nodiscard]] Provenance provenance_of(const Incoming& incoming) const;
  [[nodiscard]] std::string new_request_id();
  void authorize(Request request, const std::function<void(Admission)>& decided);
  void note_use(const std::string& token_id);
  struct Asked {  // for the counts and the log
    std::string id;
    std::string method;
    const wire::Route* route = nullptr;
    core::MonotonicTime at;
  };
  [[nodiscard]] Asked asked_now(const Request& request) const;
  // `unavailable` where a request has waited too long for a thread.
  [[nodiscard]] core::Status check_wait(const Request& request) const;
  // `resource_exhausted` when too many calls of the namespace wait for a thread.
  [[nodiscard]] core::Status check_line(const Request& request) const;
  // Counted, logged and named.
  [[nodiscard]] Response seen_off(const Asked& asked, Response response);
  void call_here(Request request, Answer answer);
  void call_with_memory(Request request, const Answer& answer);
  static void call_route(Services& services, Request request, Answer answer);

  Services services_;
  RunningKeys running_;
  core::Clock& clock_;
  core::Random& random_;
  Log& log_;
  const Options options_;
  std::mutex random_mutex_;
  std::mutex date_mutex_;
  core::TimePoint date_of_ = {};  // what `date_` says, to the second
  std::string date_;
};

}  // namespace pawl::server
