#pragma once
// The workers: each claims from any node and runs several handlers concurrently, which heartbeat and report,
// freeze past their lease and then continue as if nothing had happened, or die.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/chance.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/options.hpp"

namespace pawl::sim {

using core::TaskId;

class Workers {
 public:
  Workers(const Options& options, Scheduler& scheduler, Cluster& cluster, Watcher& watcher, Tally& tally,
          std::uint64_t seed);

  // From now on they behave correctly.
  void heal() { is_healed_ = true; }
  [[nodiscard]] int handlers() const { return handlers_; }
  // Tasks with a reported final failure.
  [[nodiscard]] const std::vector<TaskId>& ended_badly() const { return ended_badly_; }

 private:
  using Heard = std::function<void(const core::Result<core::ReportAnswer>*)>;

  struct PendingReport {
    core::Report report;
    Heard heard;
  };
  struct Worker {
    int index = 0;
    int incarnation = 0;  // incremented when it dies
    std::string name;
    bool is_claiming = false;
    int busy = 0;
    std::vector<PendingReport> reports;
    bool is_flush_due = false;
  };
  struct Handler {
    Worker* worker = nullptr;
    int incarnation = 0;
    TaskId task;
    std::int64_t fence = 0;
    Duration lease{};
    bool is_stopped = false;
    bool is_ended = false;
  };
  // Shared by the events that advance it.
  using HandlerPtr = std::shared_ptr<Handler>;

  void claim(Worker& worker);
  void claim_later(Worker& worker, Duration delay);
  void on_claimed(Worker& worker, const core::Result<core::Answer>* answer);
  void begin(Worker& worker, const core::ClaimedTask& claimed);
  void beat(const HandlerPtr& handler);
  void finish(const HandlerPtr& handler);
  void stop(const HandlerPtr& handler);
  void send_final(const HandlerPtr& handler, const core::Report& report, int tries_left);
  void end(const HandlerPtr& handler);
  void die(Worker& worker);
  void report(Worker& worker, core::Report report, Heard heard);
  void flush(Worker& worker);
  void heard_back(const HandlerPtr& handler, const core::Result<core::ReportAnswer>* answer);
  [[nodiscard]] core::Report final_report(const Handler& handler);
  [[nodiscard]] Duration work_time(const Handler& handler);
  [[nodiscard]] static bool is_alive(const Handler& handler) {
    return !handler.is_ended && handler.incarnation == handler.worker->incarnation;
  }
  [[nodiscard]] bool fails(double probability) { return !is_healed_ && chance_.happens(probability); }

  const Options& options_;
  Scheduler& scheduler_;
  Cluster& cluster_;
  Watcher& watcher_;
  Tally& tally_;
  Chance chance_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<TaskId> ended_badly_;
  int handlers_ = 0;
  int names_ = 0;
  bool is_healed_ = false;
};

}  // namespace pawl::sim
