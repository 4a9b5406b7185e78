#pragma once
// What is kept of the answer to a call that is done once, so that the call can be answered again.

#include <optional>

#include "core/command.hpp"

namespace pawl::runtime {

// Nothing for what was refused: it may be tried again.
[[nodiscard]] std::optional<core::RawJson> keep_answer(const core::Answer& answer);
[[nodiscard]] core::Answer kept_answer(const core::RawJson& kept);

}  // namespace pawl::runtime
