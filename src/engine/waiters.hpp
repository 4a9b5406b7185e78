#pragma once
// Holds the claims that found no task and wait for work. They hold no thread: a batch that makes a task
// claimable takes the matching claims into its own transaction. Thread-safe.

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/base/time.hpp"
#include "core/task/command.hpp"
#include "store/store.hpp"

namespace pawl::engine {

struct WaitingClaim {
  core::ClaimTasks claim;
  core::Reply reply;
  core::MonotonicTime submitted_at = {};
  core::MonotonicTime until;
  std::optional<core::DoOnce> once = {};
  std::optional<core::Result<core::Answer>> stored_answer = {};  // of its idempotency key: it gets no tasks
  std::uint64_t place = 0;  // in line; kept when it is parked again. 0: none yet
  bool limited = false;     // a pause, a limit or a rate held it back: freed slots and time wake it
};

// Tasks of a lane that became claimable.
struct Wake {
  const core::Lane* lane;
  std::int64_t count;
};

class Waiters {
 public:
  explicit Waiters(std::size_t waiting_max) : waiting_max_(waiting_max) {}

  // Counts wake-ups. If the count has not changed since a claim was executed, the claim missed none.
  [[nodiscard]] std::uint64_t wakes() const;

  // False: a queue of the claim was woken after `seen`, so the caller has to poll again. If too many claims
  // wait, replies resource_exhausted.
  [[nodiscard]] bool park(WaitingClaim& claim, std::uint64_t seen);

  // Takes the claims, oldest first, that the woken lanes can serve, and counts the wake-up.
  [[nodiscard]] std::vector<WaitingClaim> take_for(std::span<const Wake> wakes);
  // Takes up to `count` claims of a queue: those that a limit held back, or any.
  [[nodiscard]] std::vector<WaitingClaim> take_of_queue(const store::QueueRef& queue, bool only_limited,
                                                        std::size_t count);
  // Takes the claims that another poll of the store might serve: the oldest of each kind (queues, types).
  [[nodiscard]] std::vector<WaitingClaim> take_oldest_of_each_kind(bool only_limited);
  [[nodiscard]] std::vector<WaitingClaim> take_expired(core::MonotonicTime now);
  [[nodiscard]] std::vector<WaitingClaim> take_of_worker(const std::string& ns, const std::string& worker_id);
  [[nodiscard]] std::vector<WaitingClaim> take_all();

  // The worker with the claim that would get a task of this kind, if that worker has a cap on held tasks and
  // the claim needs no other lock.
  [[nodiscard]] std::optional<store::HolderRef> holder_of_first(const std::string& ns,
                                                                const std::string& queue,
                                                                const std::string& type) const;

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool has_limited() const;
  [[nodiscard]] std::optional<core::MonotonicTime> next_end() const;

 private:
  // Namespace, queue, and a type as the claim names it: a prefix with its '*', or "" for any.
  using IndexKey = std::tuple<std::string, std::string, std::string>;

  // The index keys of claims that match this type.
  [[nodiscard]] std::vector<std::string> indexed_as(const std::string& type) const;
  // The place of the oldest claim that matches tasks of this kind; 0: none.
  [[nodiscard]] std::uint64_t first_for(const std::string& ns, const std::string& queue,
                                        const std::string& type) const;
  WaitingClaim remove(std::uint64_t place);
  void index(const WaitingClaim& claim, bool add);

  mutable std::mutex mutex_;
  std::size_t waiting_max_;
  std::map<std::uint64_t, WaitingClaim> claims_;  // by place: oldest first
  std::map<IndexKey, std::set<std::uint64_t>> index_;
  std::set<std::pair<core::MonotonicTime, std::uint64_t>> ends_;
  std::map<store::QueueRef, std::uint64_t> woken_;  // wakes_ at the last wake-up of the queue
  std::uint64_t wakes_ = 0;
  std::uint64_t last_place_ = 0;
  std::size_t limited_ = 0;
  std::size_t beginnings_ = 0;  // index entries that end in '*'
};

}  // namespace pawl::engine
