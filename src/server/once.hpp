#pragma once
// Idempotency-Key: a repeated request with the same key receives the first response; a different request with
// the same key gets 422, and 409 while the first is still running. Only successes are stored, for a limited
// time (retention.idempotency), in the same commit as their effect. See
// docs/adr/0011-a-key-and-its-effect.md.

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "server/handlers.hpp"

namespace pawl::server {

// Whether this is a POST with a key. A new token's secret is shown once and not stored.
[[nodiscard]] bool is_keyed(const Request& request);

// Whether a key belongs to an HTTP request, rather than to a worker that began it.
[[nodiscard]] bool is_key_of_a_request(std::string_view key);

// The keys of requests that this server is executing. Thread-safe.
class RunningKeys {
 public:
  using Key = std::pair<std::string, std::string>;  // namespace and key

  // False: a request with this key is already running.
  [[nodiscard]] bool begin(const Key& key);
  void end(const Key& key);

 private:
  std::mutex mutex_;
  std::set<Key> keys_;
};

// Runs the handler once per key, with services that store the key.
void run_once(const Handler& handler, Services& services, RunningKeys& running, Request request,
              Answer answer);

// The response to a command's result; none if the call has to read more.
using Respond = std::function<std::optional<Response>(const core::Answer&)>;
// The command unchanged, or wrapped to run once if the request has a key.
[[nodiscard]] core::Command once(const Request& request, core::Command command, const Respond& respond);
[[nodiscard]] Response kept_response(const core::Replayed& replayed, const std::string& request_id);

}  // namespace pawl::server
