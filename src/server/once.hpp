#pragma once
// Idempotency-Key: the same key with the same request gets the first one's answer again, with another request
// 422, while the first is under way 409. Only successes are kept, for a time (retention.idempotency), in the
// same commit as what they did. docs/adr/0011-a-key-and-its-effect.md says how.

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "server/calls.hpp"
#include "server/request.hpp"

namespace pawl::server {

// A POST with a key. A new token's secret is shown once and not kept.
[[nodiscard]] bool is_keyed(const Request& request);

// The name of a key that is kept for a request, and not one that a worker begins.
[[nodiscard]] bool is_key_of_a_request(std::string_view key);

// The keys of the requests that this server is at. Any thread.
class RunningKeys {
 public:
  using Key = std::pair<std::string, std::string>;  // namespace and key

  // False: a request with this key is running.
  [[nodiscard]] bool begin(const Key& key);
  void end(const Key& key);

 private:
  std::mutex mutex_;
  std::set<Key> keys_;
};

// On a thread that may wait, unless the call submits itself. `call` is what is to happen once, with these
// services.
void call_once(Services& services, RunningKeys& running, Request request, Answer answer,
               const std::function<void(Services&, Request, Answer)>& call);

// What a call answers to its command; nothing where it has to look further.
using Respond = std::function<std::optional<Response>(const core::Answer&)>;
// The command as it is, or done once where the request is keyed.
[[nodiscard]] core::Command once(const Request& request, core::Command command, const Respond& respond);
[[nodiscard]] Response kept_response(const core::Replayed& replayed, const std::string& request_id);

}  // namespace pawl::server
