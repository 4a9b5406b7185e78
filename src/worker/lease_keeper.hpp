#pragma once
// Renews the leases of a worker, on its own thread and connection: a slow handler or claim delays no
// heartbeat. A lease that cannot be renewed in time expires.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/ids.hpp"
#include "worker/lease.hpp"
#include "worker/lease_calls.hpp"

namespace pawl::worker {

struct KeeperOptions {
  core::Duration lease = {};
  bool is_enlisted = false;  // the worker is registered, and has to send heartbeats
};

class LeaseKeeper {
 public:
  LeaseKeeper(KeeperOptions options, std::unique_ptr<LeaseCalls> calls, core::Clock& clock,
              core::Random& random);
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;
  ~LeaseKeeper();

  // The keeper shares the lease with the caller, until `drop`.
  std::shared_ptr<Lease> hold(LeaseTerms terms);
  void drop(const std::shared_ptr<Lease>& lease);
  // Ends the lease as timed out at this time.
  void set_timeout(const std::shared_ptr<Lease>& lease, core::MonotonicTime at);
  // Renews the leases of these tasks without waiting for the next heartbeat, to learn their state.
  void renew_now(std::vector<std::string> task_ids);
  // Ends every lease that is held.
  void end_all(LeaseState why);

  void count(bool completed);

 private:
  using Leases = std::vector<std::shared_ptr<Lease>>;

  void run();
  bool beat(const Leases& leases);  // false: nothing was renewed
  void tell_worker_alive(const Leases& leases);
  bool send_heartbeat(const Leases& leases);            // the unconfirmed one; false: it remains unconfirmed
  void note_end(core::MonotonicTime at);                // with the lock held
  [[nodiscard]] core::MonotonicTime next_wake() const;  // with the lock held
  [[nodiscard]] Leases take_renewed_now();              // with the lock held
  [[nodiscard]] core::Duration call_timeout(const Leases& leases) const;

  KeeperOptions options_;
  core::Clock& clock_;
  std::unique_ptr<LeaseCalls> calls_;
  std::atomic<int> completed_ = 0;
  std::atomic<int> failed_ = 0;
  core::IdGenerator keys_;
  std::optional<Heartbeat> unconfirmed_;  // the server may have counted it, or may do so yet

  std::mutex mutex_;
  std::condition_variable changed_;
  Leases leases_;
  std::vector<std::string> renewed_now_;
  core::MonotonicTime wakes_at_ = {};   // at the latest
  core::MonotonicTime looked_at_ = {};  // ends up to this time have been noticed
  core::MonotonicTime next_beat_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace pawl::worker
