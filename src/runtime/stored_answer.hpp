#pragma once
// Stores the answer to an idempotent call, and restores it for a repeated call.

#include <optional>

#include "core/task/command.hpp"

namespace pawl::runtime {

// None for a refused call: it may be tried again.
[[nodiscard]] std::optional<core::RawJson> to_stored(const core::Answer& answer);
[[nodiscard]] core::Answer from_stored(const core::RawJson& stored);

}  // namespace pawl::runtime
