#include "tests/chaos/client.hpp"

#include <thread>
#include <utility>

namespace pawl::chaos {

namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 1'500ms;  // for one node; longer than a claim's long poll
constexpr auto kPause = 15ms;

constexpr int kConflict = 409;

// A 409 for a call with an Idempotency-Key means that its first try is still running on another node: retry.
bool is_final(int status, const Ask& ask) {
  return status < 500 && status != 429 && (status != kConflict || ask.once.empty());
}

}  // namespace

Client::Client(const Cluster& cluster, CallCounts& counts, std::uint64_t seed)
    : chance(seed), counts_(counts) {
  for (int i = 0; i < kNodes; ++i) {
    callers_.push_back(std::make_unique<client::HttpCaller>(
        client::HttpTarget{.address = *client::parse_http_address(cluster.address(i)), .timeout = kPatience},
        chance));
  }
}

std::optional<Answer> Client::try_once(int node, const Ask& ask) {
  const auto asked_at = std::chrono::steady_clock::now();
  client::HttpRequest request{.method = ask.method, .path = "/v1" + ask.path};
  if (!ask.body.is_null()) request.body = ask.body.dump();
  if (ask.once.empty()) {
    request.repeatable = true;
  } else {
    request.headers.emplace("idempotency-key", ask.once);
  }
  const auto answer = callers_.at(static_cast<std::size_t>(node))->send(std::move(request));
  if (!answer) {
    ++counts_.unknown;
    return std::nullopt;
  }
  if (!is_final(answer->status, ask)) {
    ++counts_.refused;
    return std::nullopt;
  }
  ++counts_.answered;
  return Answer{
      .status = answer->status, .body = json::parse(answer->body, nullptr, false), .asked_at = asked_at};
}

std::optional<Answer> Client::insist(const Ask& ask, std::chrono::steady_clock::time_point deadline) {
  while (true) {
    if (auto answer = try_once(any_node(), ask)) return answer;
    if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace pawl::chaos
