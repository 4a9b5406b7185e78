#pragma once
// JSON texts of Pawl that contain users' values: request bodies, responses, events and other stored objects.
// A user's value may be nested kJsonDepthMax deep by itself, and the text around it adds a few levels.

#include <optional>
#include <string>
#include <string_view>

#include "core/base/limits.hpp"

namespace pawl::core {

inline constexpr int kEnvelopeDepthMax = kJsonDepthMax + 16;

// The same as json_error, for a text that is nested at most kEnvelopeDepthMax deep. What accepts a user's
// value from such a text must check the value itself (check_json).
[[nodiscard]] std::optional<std::string> envelope_error(std::string_view text);

}  // namespace pawl::core
