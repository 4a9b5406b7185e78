#pragma once
// Bugs planted on purpose, to prove that the simulation catches them. Only a build with PAWL_CANARIES has
// them; in every other one `planted` is a constant and the compiler drops the branch.

#include <array>
#include <cstdint>
#include <string_view>

namespace pawl::core {

enum class Canary : std::uint8_t {
  none,
  fence_not_checked,       // any report from the holder's name is taken
  answer_before_commit,    // callers are told before the store has it
  rescue_without_compare,  // the sweep trusts what it read earlier
  expiry_not_checked,      // a holder may report after its lease is over
  attempt_not_counted,     // at the claim
  attempts_without_end,    // max_attempts is not looked at
  key_not_freed,           // by a task that ends dead
  key_taken_out_of_turn,   // the second in line goes before the first
  jitter_skipped,          // all retries come back at one moment
  limit_not_enforced,      // max_concurrency
  pause_ignored,           // of a queue
  due_time_ignored,        // a delayed task is claimable at once
  idempotency_forgotten,   // the same enqueue makes a second task
  cancel_forgotten,        // the flag is lost with the next heartbeat
  release_spends_attempt,  // what is given back counts as tried
  fence_not_raised,        // when a lease is taken by force
  count_forgotten,         // of dead tasks
};
inline constexpr std::array<std::string_view, 18> kCanaryNames{"none",
                                                               "fence_not_checked",
                                                               "answer_before_commit",
                                                               "rescue_without_compare",
                                                               "expiry_not_checked",
                                                               "attempt_not_counted",
                                                               "attempts_without_end",
                                                               "key_not_freed",
                                                               "key_taken_out_of_turn",
                                                               "jitter_skipped",
                                                               "limit_not_enforced",
                                                               "pause_ignored",
                                                               "due_time_ignored",
                                                               "idempotency_forgotten",
                                                               "cancel_forgotten",
                                                               "release_spends_attempt",
                                                               "fence_not_raised",
                                                               "count_forgotten"};

#ifdef PAWL_CANARIES
[[nodiscard]] bool planted(Canary canary);
void plant(Canary canary);
#else
[[nodiscard]] constexpr bool planted(Canary /*canary*/) { return false; }
#endif

}  // namespace pawl::core
