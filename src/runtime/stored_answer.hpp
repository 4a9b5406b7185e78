#pragma once
// Converts the answer to an idempotent call to the JSON that is stored with its key, and back for a repeated
// call.

#include <optional>

#include "core/task/command.hpp"

namespace pawl::runtime {

// None for a rejected call: it may be tried again.
[[nodiscard]] std::optional<core::RawJson> to_stored(const core::Answer& answer);
[[nodiscard]] core::Answer from_stored(const core::RawJson& stored);

}  // namespace pawl::runtime
