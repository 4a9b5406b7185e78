// memory: the memory of an idle server, its memory with many waiting claims, and whether these slow down an
// enqueue.

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "bench/bench.hpp"
#include "bench/http_connection.hpp"
#include "bench/progress.hpp"
#include "bench/resident.hpp"
#include "runtime/env.hpp"

namespace pawl::bench {

namespace {

constexpr int kCalls = 500;

void allow_many_sockets() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

// Median latency of single enqueues, in milliseconds.
double enqueue_latency(const HttpPlace& place, core::Clock& clock) {
  HttpConnection connection{place};
  std::vector<double> times;
  for (int i = 0; i < kCalls; ++i) {
    const auto from = clock.monotonic();
    connection.send({.path = "/v1/default/tasks", .body = R"({"type":"bench","queue":"latency"})"});
    while (!connection.receive()) {
    }
    times.push_back(std::chrono::duration<double, std::milli>(clock.monotonic() - from).count());
    (void)connection.take_body();
  }
  std::nth_element(times.begin(), times.begin() + kCalls / 2, times.end());
  return times[kCalls / 2];
}

}  // namespace

void run_http_memory(const Options& options, const StartServer& start_server, const Report& report) {
  runtime::SystemClock clock;
  allow_many_sockets();
  const int room = options.waiting + 100;
  const ServerProcess server = start_server(
      {fmt::format("limits.connections={}", room), fmt::format("limits.claims_waiting={}", room)});
  const HttpPlace place = place_of(server.address);
  const auto measured = [&](std::string metric, double value, const char* unit, std::optional<double> ratio) {
    report({.workload = "memory",
            .metric = std::move(metric),
            .store = client::name_of(options.store.type),
            .mode = "http",
            .value = value,
            .unit = unit,
            .ratio = ratio});
  };
  measured("rss", resident(std::to_string(server.pid)), "MiB", {});
  const double idle = enqueue_latency(place, clock);
  measured("enqueue_p50", idle, "ms", {});
  std::vector<HttpConnection> waiting;
  waiting.reserve(static_cast<std::size_t>(options.waiting));
  {
    Progress progress{"waiting claims"};
    for (int i = 0; i < options.waiting; ++i) {
      waiting.emplace_back(place);
      waiting.back().send(
          {.path = "/v1/default/tasks/claim",
           .body = fmt::format(R"({{"worker_id":"w{}","queues":["nobody"],"wait":"60s"}})", i)});
      progress.show(static_cast<double>(i) / options.waiting, "");
    }
  }
  const double beside = enqueue_latency(place, clock);
  measured(fmt::format("rss_waiting_{}", options.waiting), resident(std::to_string(server.pid)), "MiB", {});
  measured(fmt::format("enqueue_p50_waiting_{}", options.waiting), beside, "ms", beside / idle);
}

}  // namespace pawl::bench
