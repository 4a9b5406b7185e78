#pragma once
// The commands and claims that are executed in one transaction, and their answers. One thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/env.hpp"
#include "core/task/command.hpp"
#include "engine/lease_notices.hpp"
#include "engine/run_watch.hpp"
#include "engine/waiters.hpp"
#include "store/store.hpp"

namespace pawl::engine {

struct Request {
  core::Command command;
  core::Reply reply;
  core::MonotonicTime submitted_at = {};  // when it entered a queue, if it did
};

// The replies of a committed or refused group, to be sent once it is durable.
struct GroupAnswers {
  store::CommitNumber number = store::kDurable;
  std::vector<core::Reply> replies = {};
  std::vector<core::Result<core::Answer>> answers = {};  // parallel to `replies`
  std::vector<RunWatch::News> news = {};
  std::vector<LeaseNotice> notices = {};
};

// Runs SQL statements of the user and returns the command to execute after them, in the same transaction.
using OwnWork = std::function<std::optional<core::Command>(store::Sql&)>;

// Kept across the tries of a group.
struct Group {
  std::vector<const core::Command*> commands;
  std::vector<const core::DoOnce*> onces;  // parallel to `commands`; null: the command is not idempotent
  std::vector<core::Reply> replies;
  std::vector<core::Result<core::Answer>> answers;
  std::vector<WaitingClaim> claims;
  std::vector<core::Result<core::Answer>> claim_answers;
  std::vector<store::LaneKey> missing_lanes;  // found by a failed try
  GroupAnswers done;                          // of the committed part
  std::uint64_t wakes_seen = 0;
  std::vector<Wake> unclaimed;  // claimable tasks that it committed but gave to no claim
  int served = 0;               // claims that got tasks
  core::MonotonicTime began_at = {};
  // Set for `Engine::transact`: `own` is computed in the transaction, after the user's own statements.
  const OwnWork* work = nullptr;
  core::Command own = {};
  bool is_kept = true;

  [[nodiscard]] bool is_done() const { return commands.empty() && claims.empty(); }
  [[nodiscard]] bool has_one_part() const { return work != nullptr || commands.size() + claims.size() <= 1; }

  void add(Request& request, core::Clock& clock);
  // Moves the replies to `done`, with this problem as their answer.
  void refuse(const core::Problem& problem);
  void forget_commands();
};

[[nodiscard]] std::size_t claimed_count(const core::Answer& answer);

}  // namespace pawl::engine
