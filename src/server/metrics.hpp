#pragma once
// The counters behind /metrics, in Prometheus' text format. Counting costs a few atomic additions.
// Thread-safe.

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/time.hpp"
#include "core/queue/queue.hpp"
#include "engine/engine.hpp"
#include "wire/routes.hpp"

namespace pawl::server {

class Metrics {
 public:
  Metrics();

  // `route` is null if no route matched.
  void count_request(const wire::Route* route, int status, core::Duration took);
  void count_connection(int change) { connections_ += change; }
  void count_refused_connection() { ++refused_connections_; }
  void count_displaced_connection() { ++displaced_connections_; }
  void count_failed_accept() { ++failed_accepts_; }
  void count_out_of_memory() { ++out_of_memory_; }
  [[nodiscard]] std::int64_t connections() const { return connections_; }

  struct View {
    const engine::EngineStats& engine;
    std::size_t waiting_claims = 0;
    std::map<std::string, std::vector<core::Queue>> queues = {};  // by namespace
    bool is_whole = true;  // false: only the metrics of these namespaces, none of the server
  };
  [[nodiscard]] std::string text(const View& view) const;

 private:
  static constexpr std::array<std::int64_t, 9> kBucketMicros{500,    1'000,   2'500,     5'000,     10'000,
                                                             50'000, 250'000, 1'000'000, 10'000'000};
  struct PerRoute {
    std::array<std::atomic<std::int64_t>, 6> by_class = {};  // 1xx to 5xx
    std::array<std::atomic<std::int64_t>, kBucketMicros.size()> buckets = {};
    std::atomic<std::int64_t> micros = 0;
    std::atomic<std::int64_t> count = 0;
  };

  void add_http(std::string& out) const;

  std::vector<PerRoute> routes_;  // one per row of the route table, and one for unmatched requests
  std::atomic<std::int64_t> connections_ = 0;
  std::atomic<std::int64_t> refused_connections_ = 0;
  std::atomic<std::int64_t> displaced_connections_ = 0;
  std::atomic<std::int64_t> failed_accepts_ = 0;
  std::atomic<std::int64_t> out_of_memory_ = 0;
};

}  // namespace pawl::server
