#include "bench/baseline.hpp"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "bench/load.hpp"

namespace pawl::bench {

namespace {

// Successful runs of `operation` per second, on the store's best number of connections.
double baseline_rate(const Options& options, core::Clock& clock,
                     const std::function<bool(store::Baseline&)>& operation) {
  const int connections = options.store.type == client::StoreType::postgres ? 4 : 1;
  (void)client::open_baseline(options.store);  // creates the table, which must not happen concurrently
  std::atomic<std::int64_t> done{0};
  const auto from = clock.monotonic();
  const auto until = from + options.seconds;
  std::vector<std::thread> threads;
  for (int i = 0; i < connections; ++i) {
    threads.emplace_back([&] {
      const auto baseline = client::open_baseline(options.store);
      while (clock.monotonic() < until) {
        if (operation(*baseline)) ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> elapsed = clock.monotonic() - from;
  return static_cast<double>(done) / elapsed.count();
}

}  // namespace

double baseline_life(const Options& options, core::Clock& clock) {
  return baseline_rate(options, clock, [](store::Baseline& baseline) {
    baseline.enqueue(std::string{kPayload});
    return baseline.run_one();
  });
}

double baseline_enqueue(const Options& options, core::Clock& clock) {
  return baseline_rate(options, clock, [](store::Baseline& baseline) {
    baseline.enqueue(std::string{kPayload});
    return true;
  });
}

double one_commit(store::Baseline& baseline, core::Clock& clock) {
  const auto from = clock.monotonic();
  baseline.enqueue("{}");
  return std::chrono::duration<double, std::milli>(clock.monotonic() - from).count();
}

}  // namespace pawl::bench
