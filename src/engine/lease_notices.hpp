#pragma once
// Notifies workers of their leases that a command of this node canceled or revoked, so that a handler stops
// before its next heartbeat. A notice is a hint: the heartbeat that follows it is what decides.
//
// A worker that has waited once has a mailbox, which keeps the notices that arrive between two of its waits;
// it is dropped when the worker has not waited for two minutes. Commits of other nodes are not seen here.
// Thread-safe.

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/env.hpp"
#include "core/base/ids.hpp"

namespace pawl::engine {

struct LeaseNotice {
  std::string ns = {};
  std::string worker_id = {};
  core::TaskId task_id = {};
};

class LeaseNotices {
 public:
  // Called once, on the thread that posts or ends the wait; it must not block.
  using Reply = std::function<void(std::vector<core::TaskId>)>;
  struct Wait {
    std::string ns = {};
    std::string worker_id = {};
    core::MonotonicTime until = {};
  };

  explicit LeaseNotices(core::Clock& clock) : clock_(clock) {}

  // Replies immediately where the mailbox has notices; an earlier wait of the same worker ends with none.
  void wait(const Wait& wait, Reply reply);
  void post(const std::vector<LeaseNotice>& notices);
  // Replies with none to the waits whose time has passed.
  void end_expired();
  // Replies with none to this worker's wait.
  void end_of(const std::string& ns, const std::string& worker_id);
  // Replies with none to every wait, for the shutdown.
  void end_all();

 private:
  struct Mailbox {
    std::vector<core::TaskId> tasks = {};
    Reply reply = {};  // none: the worker does not wait now
    core::MonotonicTime until = {};
    core::MonotonicTime dropped_at = {};
  };
  using Replies = std::vector<std::pair<Reply, std::vector<core::TaskId>>>;

  void end_where(const std::function<bool(const Mailbox&)>& is_over);
  static void send(const Replies& replies);

  core::Clock& clock_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Mailbox> mailboxes_;  // by namespace and worker
};

}  // namespace pawl::engine
