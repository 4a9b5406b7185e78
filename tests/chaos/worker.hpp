#pragma once
// A worker of the load: it claims tasks, simulates work, and reports. Sometimes it dies with a task (never
// reports), reports late, or fails.

#include <atomic>
#include <chrono>
#include <deque>
#include <string>

#include "tests/chaos/client.hpp"
#include "tests/chaos/ledger.hpp"

namespace pawl::chaos {

class Worker {
 public:
  static constexpr const char* kLastOfRun =
      "last";  // node of the workflow that fails if its input requests it
  static constexpr const char* kMustFail = "must_fail";

  struct Place {
    const Cluster& cluster;
    CallCounts& counts;
    Ledger& ledger;
  };
  Worker(Place place, std::uint64_t seed, std::string name)
      : client_(place.cluster, place.counts, seed),
        ledger_(place.ledger),
        has_own_clock_(place.cluster.options().has_own_clock),
        name_(std::move(name)) {}

  void work_until(const std::atomic<bool>& is_over);

 private:
  struct Late {
    json report;
    Time claimed_at;
    Time due;
  };

  void claim_and_work();
  void check_lease(const json& task, std::chrono::system_clock::time_point least);
  void work_on(const json& task, Time asked_at, Time received_at);
  void report_late_ones();
  // Whether the report was accepted; nothing if it was never answered.
  std::optional<bool> report(const json& report);

  Client client_;
  Ledger& ledger_;
  const bool has_own_clock_;
  std::string name_;
  std::deque<Late> late_;
};

}  // namespace pawl::chaos
