#pragma once
// Deliberate bugs that prove that the tests catch them. docs/canaries.md describes what each one breaks and
// which test catches it; tests/canaries/run.py enables them one by one. They exist only in sanitizer builds
// with PAWL_CANARIES: in every other build `planted` is a constant, and the compiler removes the branch.

#include <array>
#include <cstdint>
#include <string_view>

#define PAWL_CANARIES_LIST(X)             \
  X(none)                                 \
  /* found by the simulation */           \
  X(fence_not_checked)                    \
  X(answer_before_commit)                 \
  X(rescue_without_compare)               \
  X(expiry_not_checked)                   \
  X(attempt_not_counted)                  \
  X(attempts_without_end)                 \
  X(key_not_freed)                        \
  X(key_taken_out_of_turn)                \
  X(jitter_skipped)                       \
  X(limit_not_enforced)                   \
  X(pause_ignored)                        \
  X(due_time_ignored)                     \
  X(idempotency_forgotten)                \
  X(cancel_forgotten)                     \
  X(release_spends_attempt)               \
  X(fence_not_raised)                     \
  X(count_forgotten)                      \
  /* lanes */                             \
  X(lane_not_compared)                    \
  X(lanes_kept_in_new_life)               \
  X(lane_reused_across_types)             \
  X(lanes_of_others_not_learned)          \
  /* caches */                            \
  X(run_cache_of_earlier_life)            \
  X(cached_run_not_confirmed)             \
  X(record_not_forgotten)                 \
  X(record_never_stale)                   \
  X(leases_kept_after_foreign_commit)     \
  X(held_count_kept)                      \
  X(remembered_lease_outlives_itself)     \
  X(remembered_lease_of_any_holder)       \
  X(ready_mark_not_lowered)               \
  X(empty_lane_believed)                  \
  X(due_mark_ignores_the_clock)           \
  X(counts_mark_passes_open_transactions) \
  X(heard_clock_steps_back)               \
  /* flush order */                       \
  X(flush_not_awaited)                    \
  X(foreign_commit_not_flushed)           \
  X(read_not_flushed)                     \
  X(flush_covers_what_follows)            \
  X(failed_flush_believed)                \
  X(log_mark_not_written)                 \
  X(log_mark_not_compared)                \
  X(replaced_file_not_noticed)            \
  X(schema_not_expected)                  \
  /* retention */                         \
  X(open_run_erased)                      \
  X(erased_without_comparing)             \
  X(retention_of_queue_ignored)           \
  X(retention_from_creation)              \
  X(child_erased_before_parent)           \
  X(attempts_left_behind)                 \
  X(task_key_left_behind)                 \
  X(erased_dead_letter_counted)           \
  X(audit_erased_out_of_order)            \
  /* schedules */                         \
  X(slot_claimed_twice)                   \
  X(catchup_bound_ignored)                \
  X(overlap_skip_ignored)                 \
  X(overlap_not_followed)                 \
  X(paused_slots_made_up)                 \
  X(schedule_end_ignored)                 \
  X(spring_slot_shifted)                  \
  X(firing_ended_twice)                   \
  /* tokens */                            \
  X(expired_token_accepted)               \
  X(revoked_token_accepted)               \
  X(secret_not_compared)                  \
  X(role_not_compared)                    \
  X(token_namespace_not_compared)         \
  X(token_queue_not_compared)             \
  X(revocation_not_followed)              \
  X(denial_not_written_down)              \
  X(worker_owner_not_compared)            \
  /* SQL functions */                     \
  X(sql_key_not_taken)                    \
  X(sql_key_not_promised)                 \
  X(sql_namespace_not_checked)            \
  X(sql_signal_to_an_ended_run)           \
  X(sql_temporary_objects_first)          \
  X(sql_withdraw_keeps_the_key)           \
  /* runs */                              \
  X(event_order_not_checked)              \
  X(late_step_accepted)                   \
  X(memo_lost)                            \
  X(signal_lost)                          \
  X(signal_taken_twice)                   \
  X(timer_lost)                           \
  X(timer_fires_early)                    \
  X(compensation_chain_cut)               \
  X(compensation_order_reversed)          \
  X(owed_undo_forgotten)                  \
  X(child_not_awaited)                    \
  X(child_of_another_believed)            \
  X(continued_run_loses_its_key)          \
  X(run_deadline_ignored)                 \
  X(join_starts_early)                    \
  X(expected_sequence_ignored)            \
  /* idempotency and locks */             \
  X(request_hash_not_compared)            \
  X(begun_hash_not_compared)              \
  X(key_never_expires)                    \
  X(pending_key_handed_out)               \
  X(lock_fence_not_raised)                \
  X(lock_fence_not_compared)              \
  X(lock_never_expires)                   \
  /* leaders and workers */               \
  X(term_not_raised)                      \
  X(leadership_taken)                     \
  X(leads_without_an_answer)              \
  X(lost_worker_keeps_its_tasks)          \
  X(replaced_worker_heard)                \
  X(farewell_spends_attempts)             \
  /* audit and checkpoints */             \
  X(audit_not_chained)                    \
  X(checkpoint_sequence_not_compared)     \
  /* limits */                            \
  X(body_bound_ignored)                   \
  X(header_bound_ignored)                 \
  X(two_lengths_accepted)                 \
  X(json_depth_ignored)                   \
  X(page_repeats_its_last_row)            \
  X(backoff_cap_ignored)                  \
  /* tasks */                             \
  X(dead_letter_keeps_its_budget)         \
  X(waiting_claim_not_woken)              \
  X(ids_fall_with_the_clock)              \
  /* clocks */                            \
  X(clock_step_not_seen)                  \
  X(skipped_time_counted)                 \
  X(clock_step_not_recorded)

namespace pawl::core {

#define PAWL_CANARY_VALUE(name) name,
#define PAWL_CANARY_NAME(name) std::string_view{#name},
enum class Canary : std::uint8_t { PAWL_CANARIES_LIST(PAWL_CANARY_VALUE) };
inline constexpr std::array kCanaryNames{PAWL_CANARIES_LIST(PAWL_CANARY_NAME)};
#undef PAWL_CANARY_VALUE
#undef PAWL_CANARY_NAME

#ifdef PAWL_CANARIES
[[nodiscard]] bool planted(Canary canary);
// Must be called before any thread starts. Returns false if there is no such canary.
[[nodiscard]] bool plant(std::string_view name);
#else
[[nodiscard]] constexpr bool planted(Canary /*canary*/) { return false; }
#endif

}  // namespace pawl::core
