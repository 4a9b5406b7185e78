#pragma once
// The load of a campaign: clients that enqueue tasks and start runs, workers that claim and report or fail
// to, and a thread that polls queue counts. All of it uses HTTP to a random node, and is recorded in the
// ledger.

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/chaos/client.hpp"
#include "tests/chaos/ledger.hpp"

namespace pawl::chaos {

inline constexpr const char* kLimitedQueue = "limited";
inline constexpr std::int64_t kLimitedMax = 3;  // of the queue
inline constexpr const char* kNarrowType = "narrow";
inline constexpr std::int64_t kNarrowMax = 1;  // of the type in that queue
inline constexpr std::array kSchedules{"every-second", "each-second", "per-second"};
inline constexpr const char* kWorkflow = "chaos";

class Load {
 public:
  Load(const Cluster& cluster, Ledger& ledger, CallCounts& counts, std::uint64_t seed);
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load();

  // Creates queues, the workflow and the schedules. Call it before any fault.
  void prepare();
  void start();
  // Adds nothing new from now on; the workers continue.
  void stop_adding();
  void stop();

 private:
  void add_until_stopped(int number);
  void start_runs_until_stopped();
  void watch_until_stopped();
  void add_one(Client& client, const std::string& name);
  void add_batch(Client& client, const std::string& name);

  [[nodiscard]] std::uint64_t next_seed() { return seeds_.next(); }

  const Cluster& cluster_;
  Ledger& ledger_;
  CallCounts& counts_;
  testing::SeededRandom seeds_;
  std::atomic<bool> is_adding_ = true;
  std::atomic<bool> is_over_ = false;
  std::vector<std::thread> adders_;
  std::vector<std::thread> others_;
};

// The deadline of a call: without an answer by then, something is stuck.
[[nodiscard]] Time patience();

}  // namespace pawl::chaos
