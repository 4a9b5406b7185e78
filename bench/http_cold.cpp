// cold: time from starting a server process until a worker has its first task.

#include <algorithm>
#include <vector>

#include "bench/bench.hpp"
#include "bench/http_connection.hpp"
#include "bench/progress.hpp"
#include "runtime/env.hpp"

namespace pawl::bench {

namespace {

constexpr int kStarts = 9;

std::string answer_to(HttpConnection& connection, const HttpRequestText& request) {
  connection.send(request);
  while (!connection.receive()) {
  }
  return connection.take_body();
}

}  // namespace

void run_http_cold(const Options& options, const StartServer& start_server, const Report& report) {
  runtime::SystemClock clock;
  std::vector<double> times;
  Progress progress{"starts"};
  // The first start creates the tables and is not counted.
  for (int i = 0; i <= kStarts; ++i) {
    const auto from = clock.monotonic();
    const ServerProcess server = start_server({});
    const HttpPlace place = place_of(server.address);
    HttpConnection connection{place};
    (void)answer_to(connection, {.path = "/v1/default/tasks", .body = R"({"type":"bench","queue":"cold"})"});
    (void)answer_to(connection, {.path = "/v1/default/tasks/claim",
                                 .body = R"({"worker_id":"w","queues":["cold"],"wait":"10s"})"});
    const std::chrono::duration<double, std::milli> took = clock.monotonic() - from;
    if (i > 0) times.push_back(took.count());
    progress.show(static_cast<double>(i) / kStarts, "");
  }
  std::nth_element(times.begin(), times.begin() + kStarts / 2, times.end());
  report({.workload = "cold",
          .metric = "spawn_to_first",
          .store = client::name_of(options.store.type),
          .mode = "http",
          .value = times[kStarts / 2],
          .unit = "ms"});
}

}  // namespace pawl::bench
