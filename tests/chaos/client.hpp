#pragma once
// A caller as it should be: it asks any node, and what was not answered it asks again elsewhere. It speaks
// the HTTP contract and shares no reader or writer with the engine. One thread.

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
  std::chrono::steady_clock::time_point asked_at = {};  // by the try that was answered
};

// What all callers of a campaign saw of their calls.
struct CallCounts {
  std::atomic<std::int64_t> answered = 0;
  std::atomic<std::int64_t> unknown = 0;  // no answer came: it may have been done or not
  std::atomic<std::int64_t> refused = 0;  // 429 and 5xx: it was not done, or nobody knows
};

struct Ask {
  std::string method = "GET";
  std::string path = {};
  json body = {};
  std::string once = {};  // an Idempotency-Key; none: the call does no harm twice
};

class Client {
 public:
  Client(const Cluster& cluster, CallCounts& counts, std::uint64_t seed);

  // One try with one node; nothing: no answer, or none that says what happened.
  std::optional<Answer> try_once(int node, const Ask& ask);
  // With nodes by chance, until it is answered or `deadline` has come.
  std::optional<Answer> insist(const Ask& ask, std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] int any_node() { return static_cast<int>(chance.below(kNodes)); }

  testing::SeededRandom chance;

 private:
  CallCounts& counts_;
  std::vector<std::unique_ptr<client::HttpCaller>> callers_;  // by node
};

}  // namespace pawl::chaos
