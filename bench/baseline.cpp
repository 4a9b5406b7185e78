#include "bench/baseline.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "bench/load.hpp"

namespace pawl::bench {

double baseline_life(const Options& options, core::Clock& clock) {
  const int connections = options.store.type == client::StoreType::postgres ? 4 : 1;
  (void)client::open_baseline(options.store);  // makes the table, which only one may do at a time
  std::atomic<std::int64_t> lives{0};
  const auto from = clock.monotonic();
  const auto until = from + options.seconds;
  std::vector<std::thread> threads;
  for (int i = 0; i < connections; ++i) {
    threads.emplace_back([&] {
      const auto baseline = client::open_baseline(options.store);
      while (clock.monotonic() < until) {
        baseline->enqueue(std::string{kPayload});
        if (baseline->run_one()) ++lives;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> elapsed = clock.monotonic() - from;
  return static_cast<double>(lives) / elapsed.count();
}

double one_commit(store::Baseline& baseline, core::Clock& clock) {
  const auto from = clock.monotonic();
  baseline.enqueue("{}");
  return std::chrono::duration<double, std::milli>(clock.monotonic() - from).count();
}

}  // namespace pawl::bench
