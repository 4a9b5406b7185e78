// loop: one run whose body repeats the same operation thousands of times, as an agent does: a step, a spawned
// task or a child. It measures the cost of an iteration at the end of the loop relative to its beginning.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pawl/pawl.hpp>
#include <time.h>

#include "bench/bench.hpp"
#include "bench/progress.hpp"

namespace pawl::bench {

namespace {

constexpr std::array kLoopLengths{1'000, 10'000, 50'000};
constexpr int kLoopWindow = 1'000;  // measured iterations at each end of a loop
constexpr int kLoopSlices = 10;     // per window; their median excludes disturbances by other programs
constexpr const char* kLoopQueue = "bench-loop";

double micros_of_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// CPU time of this process, plus the server's if there is one.
double cpu_micros(int server) {
  double micros = micros_of_clock(CLOCK_PROCESS_CPUTIME_ID);
  clockid_t clock{};
  if (server != 0 && clock_getcpuclockid(server, &clock) == 0) micros += micros_of_clock(clock);
  return micros;
}

struct LoopKind {
  const char* name;
  std::function<void(Workflow&, int)> iterate;
};

std::vector<LoopKind> loop_kinds() {
  return {{"step", [](Workflow& wf, int i) { wf.step("step", [i] { return i; }); }},
          {"spawn", [](Workflow& wf, int i) { wf.spawn<int>("bench-loop-task", i).get(); }},
          {"child", [](Workflow& wf, int i) { (void)wf.child<int>("bench-loop-child", i); }}};
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Records time and cost when the loop first reaches an iteration: a body that waits long is executed again.
class LoopMarks {
 public:
  LoopMarks(int length, int server) : length_(length), server_(server) {}

  void reach(int iteration) {
    if (iteration <= reached_) return;
    reached_ = iteration;
    const bool is_first = iteration <= window() && iteration % slice() == 0;
    const bool is_last = iteration >= length_ - window() && (length_ - iteration) % slice() == 0;
    if (!is_first && !is_last) return;
    const Mark mark{micros_of_clock(CLOCK_MONOTONIC), cpu_micros(server_)};
    if (is_first) first_.push_back(mark);
    if (is_last) last_.push_back(mark);
  }

  // Cost of one iteration: the median of the slices at the beginning and of those at the end.
  struct Cost {
    double first = 0;
    double last = 0;
  };
  [[nodiscard]] Cost wall() const { return cost(&Mark::wall); }
  [[nodiscard]] Cost cpu() const { return cost(&Mark::cpu); }

 private:
  struct Mark {
    double wall = 0;
    double cpu = 0;
  };
  [[nodiscard]] int window() const { return std::min(kLoopWindow, length_ / 2); }
  [[nodiscard]] int slice() const { return window() / kLoopSlices; }
  [[nodiscard]] Cost cost(double Mark::*what) const {
    const auto of_window = [&](const std::vector<Mark>& marks) {
      std::vector<double> slices;
      for (std::size_t i = 1; i < marks.size(); ++i)
        slices.push_back((marks[i].*what - marks[i - 1].*what) / slice());
      return median_of(std::move(slices));
    };
    return {.first = of_window(first_), .last = of_window(last_)};
  }

  int length_;
  int server_;
  int reached_ = -1;
  std::vector<Mark> first_;
  std::vector<Mark> last_;
};

struct LoopTarget {
  std::string address = {};
  std::string mode = {};
  int server = 0;  // its process id; 0: no server
};

class LoopLoad {
 public:
  LoopLoad(const Options& options, const LoopTarget& target)
      : client_(pawl::connect(target.address)),
        worker_(client_, {.queues = {kLoopQueue}, .max_concurrent = options.workers}) {
    for (const LoopKind& kind : loop_kinds()) {
      worker_.workflow(fmt::format("bench-loop-{}s", kind.name), [this, kind](Workflow& wf, int length) {
        for (int i = 0; i < length; ++i) {
          marks_.load()->reach(i);
          kind.iterate(wf, i);
        }
        marks_.load()->reach(length);
      });
    }
    worker_.task("bench-loop-task", [](Task&, int input) { return input; });
    worker_.workflow("bench-loop-child", [](Workflow&, int input) { return input; });
    worker_.start();
  }
  ~LoopLoad() { worker_.stop(); }
  LoopLoad(const LoopLoad&) = delete;
  LoopLoad& operator=(const LoopLoad&) = delete;

  void run(const LoopKind& kind, int length, LoopMarks& marks) {
    marks_ = &marks;
    (void)client_.start(fmt::format("bench-loop-{}s", kind.name), length, {.queue = kLoopQueue})
        .result<Json>();
  }

 private:
  std::atomic<LoopMarks*> marks_ = nullptr;  // of the current run
  Client client_;
  Worker worker_;
};

void measure_loops(const Options& options, const LoopTarget& target, const Report& report) {
  LoopLoad load{options, target};
  for (const LoopKind& kind : loop_kinds()) {
    for (const int length : kLoopLengths) {
      if (length > options.iterations) continue;
      LoopMarks marks{length, target.server};
      {
        const Progress progress{kind.name};
        load.run(kind, length, marks);
      }
      const auto tell = [&](const char* what, const LoopMarks::Cost& cost) {
        report({.workload = "loop",
                .metric = fmt::format("{}_{}_{}", kind.name, length, what),
                .store = client::name_of(options.store.type),
                .mode = target.mode,
                .value = cost.last,
                .unit = "us",
                .baseline = cost.first,
                .ratio = cost.last / cost.first});
      };
      tell("cpu", marks.cpu());
      tell("wall", marks.wall());
    }
  }
}

}  // namespace

void run_loop(const Options& options, const Report& report) {
  const std::string address = client::name_of(options.store.type) + ":" + options.store.location;
  measure_loops(options, {.address = address, .mode = "in_process"}, report);
}

void run_http_loop(const Options& options, const StartServer& start_server, const Report& report) {
  const ServerProcess server = start_server({});
  measure_loops(options, {.address = server.address, .mode = "http", .server = server.pid}, report);
}

}  // namespace pawl::bench
