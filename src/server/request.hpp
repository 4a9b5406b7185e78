#pragma once
// A request after the transport is done with it, and its answer before the transport begins with it.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/audit.hpp"
#include "core/problem.hpp"
#include "server/event_stream.hpp"
#include "server/threads.hpp"
#include "wire/routes.hpp"

namespace pawl::server {

// How a request came here. A server without tokens serves direct ones only.
enum class Provenance : std::uint8_t {
  direct,
  forwarded,  // a proxy says that it passes it on: it may come from anywhere
  other_name  // its Host is a name that a page elsewhere may have pointed at this server
};

// What the transport has read of a header.
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
  std::string network = {};  // what its caller is counted by: peer_network
  bool is_local = false;
  bool is_forwarded = false;  // it has a field that only proxies add
  Resume resume = {};
};

struct Request {
  std::string id = {};  // made by the server, or the caller's X-Request-Id
  const wire::Route* route = nullptr;
  std::string method = {};                   // as it was sent: HEAD has the route of GET
  std::vector<std::string> parameters = {};  // of the path, in order
  std::string ns = {};                       // the first parameter, where the route has one
  std::string path = {};
  std::string query = {};
  std::string body = {};
  std::string idempotency_key = {};
  std::string authorization = {};
  std::string content_type = {};
  std::string traceparent = {};    // of the W3C trace context
  std::string if_match = {};       // the sequence that a run must have
  std::string last_event_id = {};  // where a stream that broke off is to go on
  std::string if_none_match = {};  // the copies that the caller has
  bool accepts_gzip = false;
  bool wants_events = false;  // as a stream, from a route that has one
  bool is_local = false;      // it came over the loopback interface
  Provenance provenance = Provenance::direct;
  std::string network = {};                  // what its caller is counted by: peer_network
  core::Actor actor = {};                    // who asks, once that is known
  std::vector<std::string> namespaces = {};  // of the caller's token; none, or "*" among them: all
  std::vector<std::string> queues = {};      // that it is bound to; none: all
  std::string hash = {};                     // of the whole request, where it is to be done once
  core::Duration kept_for = {};              // how long its answer is kept then
  core::MonotonicTime waits_since = {};      // for a thread
  Resume resume = {};                        // where its answer is put into words
  WhenGone when_gone = {};                   // to be told that nobody waits for the answer any more

  [[nodiscard]] WorkOwner owner(WorkKind kind) const { return {.kind = kind, .ns = ns, .token = actor.id}; }
};

struct Response {
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string cause = {};  // of a status from 500 on, for the log alone
  // Called if the answer could not be handed over, so that what it gave away can be taken back.
  std::function<void()> undelivered = {};
  // Instead of a body: sent as they come, until the stream ends. Shared with the call that sends them.
  std::shared_ptr<EventStream> events = {};
};

// Called once, from any thread.
using Answer = std::function<void(Response)>;

[[nodiscard]] Response json_response(int status, std::string body);
[[nodiscard]] Response event_response(std::shared_ptr<EventStream> events);
// `status`: where HTTP has a status of its own for it; 0 takes that of the code.
[[nodiscard]] Response problem_response(const core::Problem& problem, const std::string& request_id,
                                        int status = 0);

}  // namespace pawl::server
