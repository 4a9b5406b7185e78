#pragma once
// Bugs planted on purpose, to prove that the tests catch them. docs/canaries.md says what each one breaks and which
// test catches it; tests/canaries/run.py plants them one by one. Only a sanitizer's build with PAWL_CANARIES has
// them: in every other build `planted` is a constant, and the compiler drops the branch.

#include <array>
#include <cstdint>
#include <string_view>

#define PAWL_CANARIES_LIST(X) \
  X(none)                     \
  /* claims and reports */    \
  X(fence_not_checked)        \
  X(answer_before_commit)     \
  X(rescue_without_compare)   \
  X(expiry_not_checked)       \
  X(attempt_not_counted)      \
  X(attempts_without_end)     \
  X(key_not_freed)            \
  X(key_taken_out_of_turn)    \
  X(jitter_skipped)           \
  X(limit_not_enforced)       \
  X(pause_ignored)            \
  X(due_time_ignored)         \
  X(idempotency_forgotten)    \
  X(cancel_forgotten)         \
  X(release_spends_attempt)   \
  X(fence_not_raised)         \
  X(count_forgotten)

namespace pawl::core {

#define PAWL_CANARY_VALUE(name) name,
#define PAWL_CANARY_NAME(name) std::string_view{#name},
enum class Canary : std::uint8_t { PAWL_CANARIES_LIST(PAWL_CANARY_VALUE) };
inline constexpr std::array kCanaryNames{PAWL_CANARIES_LIST(PAWL_CANARY_NAME)};
#undef PAWL_CANARY_VALUE
#undef PAWL_CANARY_NAME

#ifdef PAWL_CANARIES
[[nodiscard]] bool planted(Canary canary);
// Before any thread is started. False if there is no such canary.
[[nodiscard]] bool plant(std::string_view name);
#else
[[nodiscard]] constexpr bool planted(Canary /*canary*/) { return false; }
#endif

}  // namespace pawl::core
