// graph: the cost of completing one task of a run, in graphs of 100, 1,000 and 10,000 tasks. A single caller
// makes one call at a time; the ratio to the smallest graph shows whether graph size matters.

#include <array>
#include <chrono>
#include <random>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "bench/bench.hpp"
#include "bench/load.hpp"
#include "runtime/env.hpp"

namespace pawl::bench {

namespace {

constexpr std::array kSizes{100, 1'000, 10'000};
constexpr int kTasks = 10'000;  // per measurement, in as many runs as needed

std::string chain_of(int size) {
  std::string tasks = R"({"id":"n0","activity":"graph"})";
  for (int i = 1; i < size; ++i)
    tasks += fmt::format(R"(,{{"id":"n{}","activity":"graph","after":["n{}"]}})", i, i - 1);
  return tasks;
}

std::string fan_of(int size) {
  std::string tasks = R"({"id":"first","activity":"graph"})";
  std::string all;
  for (int i = 0; i < size - 2; ++i) {
    tasks += fmt::format(R"(,{{"id":"n{}","activity":"graph","after":["first"]}})", i);
    all += fmt::format(R"({}"n{}")", all.empty() ? "" : ",", i);
  }
  return tasks + R"(,{"id":"last","activity":"graph","after":[)" + all + "]}";
}

// Each task depends on up to three earlier tasks; deterministic for a given size.
std::string random_of(int size) {
  std::minstd_rand chance{static_cast<std::uint32_t>(size)};
  std::string tasks = R"({"id":"n0","activity":"graph"})";
  for (int i = 1; i < size; ++i) {
    std::set<int> before;
    for (int edge = 0; edge < 3; ++edge) before.insert(static_cast<int>(chance()) % i);
    tasks +=
        fmt::format(R"(,{{"id":"n{}","activity":"graph","after":["n{}"]}})", i, fmt::join(before, R"(","n)"));
  }
  return tasks;
}

struct Shape {
  const char* name;
  std::string (*tasks)(int size);
};
constexpr std::array kShapes{Shape{"chain", chain_of}, Shape{"fan", fan_of}, Shape{"random", random_of}};

template <typename T>
T need(core::Result<T> result) {
  if (!result) throw std::runtime_error{result.problem().detail};
  return std::move(*result);
}

class GraphLoad {
 public:
  GraphLoad(const Options& options, runtime::LocalApi& api, core::Clock& clock)
      : options_(options), api_(api), clock_(clock) {}

  // Microseconds per task, excluding starts, because a start reads the whole definition.
  double cost(const std::string& name, const std::string& tasks, int size) {
    const std::string text = fmt::format(R"({{"name":"{}","tasks":[{}]}})", name, tasks);
    (void)need(api_.put_definition({.name = name, .text = text}));
    const Progress progress{name};
    core::Duration spent{0};
    for (int done = 0; done < kTasks; done += size) {
      (void)need(api_.start_run({.workflow = name}));
      const core::MonotonicTime began_at = clock_.monotonic();
      work_off();
      spent += clock_.monotonic() - began_at;
    }
    return static_cast<double>(spent.count()) / kTasks;
  }

 private:
  void work_off() {
    while (true) {
      const auto claimed =
          need(api_.claim({.worker_id = "bench", .types = {"graph"}, .max = options_.batch}));
      if (claimed.empty()) return;
      core::ReportTasks reports{.worker_id = "bench"};
      for (const core::ClaimedTask& one : claimed) {
        reports.reports.push_back(
            {.task_id = one.task.id, .fence = one.task.lease->fence, .action = core::ReportAction::complete});
      }
      for (const auto& answer : need(api_.report(std::move(reports)))) (void)need(answer);
    }
  }

  const Options& options_;
  runtime::LocalApi& api_;
  core::Clock& clock_;
};

}  // namespace

void run_graph(const Options& options, const Report& report) {
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  const auto store = client::open_store(options.store, clock, random);
  runtime::Runtime runtime{*store, clock, random};
  GraphLoad load{options, runtime.local(), clock};
  for (const Shape& shape : kShapes) {
    double smallest = 0;
    for (const int size : kSizes) {
      const std::string name = fmt::format("{}_{}", shape.name, size);
      Measurement cost{.workload = "graph",
                       .metric = name,
                       .store = client::name_of(options.store.type),
                       .value = load.cost(name, shape.tasks(size), size),
                       .unit = "us/task"};
      if (smallest == 0) smallest = cost.value;
      cost.ratio = cost.value / smallest;
      report(cost);
    }
  }
}

}  // namespace pawl::bench
