#pragma once
// Counters: landed faults, operations, transitions, and the objects that each invariant examined. A campaign
// adds up its runs, and fails if a counter stays at zero: a pass that exercised nothing proves nothing.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/task_machine.hpp"

namespace pawl::sim {

template <std::size_t N>
void add(std::array<std::int64_t, N>& to, const std::array<std::int64_t, N>& from) {
  for (std::size_t i = 0; i < N; ++i) to[i] += from[i];
}

enum class Fault : std::uint8_t {
  store_retry,
  store_unavailable,
  store_outage,
  lost_commit_reply,
  crash_before_begin,
  crash_in_transaction,
  crash_before_commit,
  crash_after_commit,
  crash_in_read,
  request_lost,
  reply_lost,
  message_slow,
  clock_forward,
  clock_back,
  handler_paused,
  handler_died,
  worker_died,
};
inline constexpr std::array<std::string_view, 17> kFaultNames{
    "store_retry",        "store_unavailable",    "store_outage",        "lost_commit_reply",
    "crash_before_begin", "crash_in_transaction", "crash_before_commit", "crash_after_commit",
    "crash_in_read",      "request_lost",         "reply_lost",          "message_slow",
    "clock_forward",      "clock_back",           "handler_paused",      "handler_died",
    "worker_died"};

enum class Operation : std::uint8_t {
  enqueue,
  claim,
  heartbeat,
  start,
  complete,
  fail,
  release,
  cancel,
  retry,
  set_queue,
  sweep,
  promote,
};
inline constexpr std::array<std::string_view, 12> kOperationNames{
    "enqueue", "claim",  "heartbeat", "start",     "complete", "fail",
    "release", "cancel", "retry",     "set_queue", "sweep",    "promote"};

enum class Invariant : std::uint8_t {
  i01,
  i02,
  i03,
  i04,
  i05,
  i06,
  i07,
  i08,
  i09,
  i10,
  i11,
  i12,
  i13,
  i14,
  i15,
  i16
};
inline constexpr std::array<std::string_view, 16> kInvariantNames{
    "I01 no acknowledged enqueue is lost",
    "I02 no phantom task",
    "I03 an enqueue sent again makes no second task",
    "I04 one live lease a task",
    "I05 fences rise",
    "I06 a stale report changes nothing",
    "I07 ended tasks stay as they are",
    "I08 one end a life",
    "I09 only the steps of the table",
    "I10 attempts are claims less releases, within the policy",
    "I11 no claim before its time or against a pause",
    "I12 retries wait as the policy says, spread",
    "I13 leases that are over are found",
    "I14 running if and only if leased",
    "I15 limits hold and counts are true",
    "I16 tasks of a key run one at a time, in order"};

struct Tally {
  static constexpr std::size_t kTransitions = core::kTaskTransitions.size();
  static constexpr std::size_t kJitterBuckets = 10;

  std::int64_t runs = 0;
  std::int64_t runs_twice = 0;
  std::int64_t lives = 0;
  std::int64_t groups = 0;
  std::int64_t commits = 0;
  std::int64_t executions = 0;    // of handlers
  std::int64_t sweeps_least = 0;  // of any run
  std::array<std::int64_t, kFaultNames.size()> faults{};
  std::array<std::int64_t, kOperationNames.size()> done{};
  std::array<std::int64_t, kOperationNames.size()> refused{};
  std::array<std::int64_t, kTransitions> transitions{};
  std::array<std::int64_t, kInvariantNames.size()> examined{};
  std::array<std::int64_t, kJitterBuckets> jitter{};

  void landed(Fault fault) { ++faults[static_cast<std::size_t>(fault)]; }
  void did(Operation operation, bool ok) { ++(ok ? done : refused)[static_cast<std::size_t>(operation)]; }
  void took(core::TaskStatus from, core::TaskEvent event);
  void saw(Invariant invariant) { ++examined[static_cast<std::size_t>(invariant)]; }
  // `spread` in [-1, 1): a backoff's position within its jitter, relative to the middle.
  void spread_by(double spread);

  [[nodiscard]] std::int64_t all_faults() const;
  [[nodiscard]] std::int64_t jitter_samples() const;
  // Chi-square over the buckets: how unlikely the sample is for uniform jitter.
  [[nodiscard]] double jitter_chi_square() const;

  Tally& operator+=(const Tally& other);
};

// Observations that a campaign of this size requires and lacks; empty: the campaign is valid.
[[nodiscard]] std::vector<std::string> gaps(const Tally& tally);
// The final summary.
[[nodiscard]] std::string account(const Tally& tally);

}  // namespace pawl::sim
