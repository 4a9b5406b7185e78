#pragma once
// Stores the answer to an idempotent call, and restores it for a repeated call.

#include <optional>

#include "core/task/command.hpp"

namespace pawl::runtime {

// None for a refused call: it may be tried again.
[[nodiscard]] std::optional<core::RawJson> keep_answer(const core::Answer& answer);
[[nodiscard]] core::Answer kept_answer(const core::RawJson& kept);

}  // namespace pawl::runtime
