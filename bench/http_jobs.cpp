// jobs over HTTP: a server process and the load on the same machine. Each figure is reported with the same
// work in process, and single enqueues with one commit per call, all from the same run.

#include <atomic>

#include <fmt/format.h>

#include "bench/baseline.hpp"
#include "bench/bench.hpp"
#include "bench/http_load.hpp"
#include "bench/load.hpp"
#include "core/json/json_value.hpp"
#include "runtime/env.hpp"

namespace pawl::bench {

namespace {

constexpr std::int64_t kDrained = 100'000;
constexpr int kCallers = 16;
constexpr int kHttpWorkers = 8;
constexpr int kHttpBatch = 500;

std::string_view member(std::string_view object, std::string_view name) {
  for (const core::Member& one : core::members_of(object)) {
    if (one.key == name) return one.value;
  }
  return {};
}

std::string spec_text(std::string_view queue) {
  return fmt::format(R"({{"type":"bench","queue":"{}","payload":{}}})", queue, kPayload);
}

HttpRequestText batch_request(std::string_view queue, int count) {
  std::string body = R"({"tasks":[)";
  for (int i = 0; i < count; ++i) {
    if (i > 0) body += ',';
    body += spec_text(queue);
  }
  return {.path = "/v1/default/tasks/batch", .body = body + "]}"};
}

// Claims and completes batches until a claim returns no tasks.
class HttpWorker {
 public:
  HttpWorker(std::string queue, int number, std::atomic<std::int64_t>& completed)
      : queue_(std::move(queue)), id_(fmt::format("worker-{}", number)), completed_(completed) {}

  HttpRequestText next(std::string_view body) {
    if (is_claiming_) {
      const auto tasks = core::elements_of(member(body, "tasks"));
      if (tasks.empty()) return {};
      return report(tasks);
    }
    completed_ += reported_;
    return claim();
  }

 private:
  HttpRequestText claim() {
    is_claiming_ = true;
    return {.path = "/v1/default/tasks/claim",
            .body = fmt::format(R"({{"worker_id":"{}","queues":["{}"],"max":{}}})", id_, queue_, kHttpBatch)};
  }

  HttpRequestText report(const std::vector<std::string_view>& tasks) {
    is_claiming_ = false;
    reported_ = static_cast<std::int64_t>(tasks.size());
    std::string body = fmt::format(R"({{"worker_id":"{}","reports":[)", id_);
    for (const std::string_view task : tasks) {
      std::string_view id;
      std::string_view fence;
      for (const core::Member& one : core::members_of(task)) {
        if (one.key == "id") id = one.value;
        if (one.key == "lease") fence = member(one.value, "fence");
      }
      if (body.back() != '[') body += ',';
      fmt::format_to(std::back_inserter(body),
                     R"({{"task_id":{},"fence":{},"action":"complete","output":true}})", id, fence);
    }
    return {.path = "/v1/default/tasks/report", .body = body + "]}"};
  }

  std::string queue_;
  std::string id_;
  std::atomic<std::int64_t>& completed_;
  std::int64_t reported_ = 0;
  bool is_claiming_ = false;
};

struct InProcess {
  double single = 0;
  double bulk = 0;
  double drain = 0;
};

// The same three rates in process, on the same store, before the server opens it.
InProcess measure_in_process(const Options& options, core::Clock& clock) {
  runtime::SystemRandom random;
  const auto store = client::open_store(options.store, clock, random);
  runtime::Runtime runtime{*store, clock, random};
  Load load{runtime, clock};
  Progress progress{"in process"};
  InProcess rates;
  rates.single =
      load.enqueue({.queue = "single", .batch = 1, .seconds = options.seconds}, kCallers, progress);
  rates.bulk = load.enqueue({.queue = "bulk", .batch = 1'000, .seconds = options.seconds}, 4, progress);
  load.fill("drain", kDrained, core::Duration{0}, progress);
  rates.drain =
      load.drain({.queue = "drain", .batch = kHttpBatch, .workers = kHttpWorkers}, kDrained, progress);
  return rates;
}

// Tasks per second of callers that repeat one request.
double enqueue_rate(const HttpPlace& place, const Options& options, core::Clock& clock, int callers,
                    const HttpRequestText& request, int tasks_each) {
  std::int64_t answered = -callers;  // each caller's first request has no previous response
  const HttpSource source = [&](std::string_view /*body*/) {
    ++answered;
    return request;
  };
  const auto from = clock.monotonic();
  run_callers(place, std::vector<HttpSource>(static_cast<std::size_t>(callers), source),
              [&] { return clock.monotonic() >= from + options.seconds; });
  const std::chrono::duration<double> elapsed = clock.monotonic() - from;
  return static_cast<double>(answered * tasks_each) / elapsed.count();
}

double drain_rate(const HttpPlace& place, core::Clock& clock) {
  const HttpRequestText fill = batch_request("http-drain", 1'000);
  std::int64_t filled = 0;
  run_callers(place, {[&](std::string_view /*body*/) {
                return filled++ < kDrained / 1'000 ? fill : HttpRequestText{};
              }},
              [] { return false; });
  std::atomic<std::int64_t> completed = 0;
  std::vector<HttpSource> workers;
  for (int i = 0; i < kHttpWorkers; ++i) {
    auto worker = std::make_shared<HttpWorker>("http-drain", i, completed);
    workers.emplace_back([worker](std::string_view body) { return worker->next(body); });
  }
  const auto from = clock.monotonic();
  run_callers(place, workers, [] { return false; });
  const std::chrono::duration<double> elapsed = clock.monotonic() - from;
  return static_cast<double>(completed) / elapsed.count();
}

}  // namespace

void run_http_jobs(const Options& options, const StartServer& start_server, const Report& report) {
  runtime::SystemClock clock;
  std::optional<double> commit_per_call;
  if (options.baseline && options.store.type != client::StoreType::memory) {
    Progress progress{"baseline"};
    progress.show(0, "one statement and commit a call");
    commit_per_call = baseline_enqueue(options, clock);
  }
  const InProcess in_process = measure_in_process(options, clock);
  const HttpPlace place = place_of(start_server({}).address);
  const auto measured = [&](const char* metric, double value, std::optional<double> baseline, double of) {
    report({.workload = "jobs",
            .metric = metric,
            .store = client::name_of(options.store.type),
            .mode = "http",
            .value = value,
            .unit = "tasks/s",
            .baseline = baseline,
            .ratio = value / baseline.value_or(of),
            .in_process = of});
  };
  const auto plain = [&](const char* metric, double value, const char* unit) {
    report({.workload = "jobs",
            .metric = metric,
            .store = client::name_of(options.store.type),
            .mode = "http",
            .value = value,
            .unit = unit});
  };
  const HttpRequestText one{.path = "/v1/default/tasks", .body = spec_text("http-single")};
  {
    // The cost of requests without work: no enqueue can be faster.
    Progress progress{"requests16"};
    progress.show(0, "");
    const HttpRequestText nothing{.path = "/healthz", .method = "GET"};
    plain("requests16", enqueue_rate(place, options, clock, kCallers, nothing, 1), "requests/s");
  }
  {
    // A single caller needs one commit per call.
    Progress progress{"enqueue_single1"};
    progress.show(0, "");
    plain("enqueue_single1", enqueue_rate(place, options, clock, 1, one, 1), "tasks/s");
  }
  {
    Progress progress{"enqueue_single16"};
    progress.show(0, "");
    measured("enqueue_single16", enqueue_rate(place, options, clock, kCallers, one, 1), commit_per_call,
             in_process.single);
  }
  {
    Progress progress{"enqueue_bulk"};
    progress.show(0, "");
    measured("enqueue_bulk", enqueue_rate(place, options, clock, 4, batch_request("http-bulk", 1'000), 1'000),
             {}, in_process.bulk);
  }
  Progress progress{"drain"};
  progress.show(0, "");
  measured("drain", drain_rate(place, clock), {}, in_process.drain);
}

}  // namespace pawl::bench
