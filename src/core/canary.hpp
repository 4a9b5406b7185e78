#pragma once
// Bugs planted on purpose, to prove that the simulation catches them. Only a build with PAWL_CANARIES has
// them; in every other one `planted` is a constant and the compiler drops the branch.

#include <cstdint>

namespace pawl::core {

enum class Canary : std::uint8_t {
  none,
  fence_not_checked,      // any report from the holder's name is taken
  answer_before_commit,   // callers are told before the store has it
  rescue_without_compare  // the sweep trusts what it read earlier
};

#ifdef PAWL_CANARIES
[[nodiscard]] bool planted(Canary canary);
void plant(Canary canary);
#else
[[nodiscard]] constexpr bool planted(Canary /*canary*/) { return false; }
#endif

}  // namespace pawl::core
