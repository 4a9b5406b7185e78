#pragma once
// A correct client: it calls any node, and retries an unanswered call on another one. It speaks the HTTP
// contract and shares no reader or writer with the engine. Not thread-safe.

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "client/http_caller.hpp"
#include "tests/chaos/cluster.hpp"
#include "tests/support/env.hpp"

namespace pawl::chaos {

using nlohmann::json;

struct Answer {
  int status = 0;
  json body = {};
  std::chrono::steady_clock::time_point asked_at = {};  // when the answered try was sent
};

// Counts of the calls of all clients of a campaign.
struct CallCounts {
  std::atomic<std::int64_t> answered = 0;
  std::atomic<std::int64_t> unknown = 0;  // no response: the call may or may not have been executed
  std::atomic<std::int64_t> refused = 0;  // 429 and 5xx: not executed, or unknown
};

struct Ask {
  std::string method = "GET";
  std::string path = {};
  json body = {};
  std::string once = {};  // the Idempotency-Key; empty: repeating the call is harmless
};

class Client {
 public:
  Client(const Cluster& cluster, CallCounts& counts, std::uint64_t seed);

  // One try on one node. Returns nothing without a response, or if the response does not tell the outcome.
  std::optional<Answer> try_once(int node, const Ask& ask);
  // Retries on random nodes until it gets a final answer or `deadline` has passed.
  std::optional<Answer> insist(const Ask& ask, std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] int any_node() { return static_cast<int>(chance.below(kNodes)); }

  testing::SeededRandom chance;

 private:
  CallCounts& counts_;
  std::vector<std::unique_ptr<client::HttpCaller>> callers_;  // indexed by node
};

}  // namespace pawl::chaos
