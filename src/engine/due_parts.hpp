#pragma once
// Splits a command of a tick into commands of one item each.

#include <vector>

#include "core/task/command.hpp"

namespace pawl::engine {

// With `one_by_one`, each item becomes its own command, so that a damaged item does not block the others.
// Otherwise returns the command unchanged.
[[nodiscard]] std::vector<core::Command> parts_of(core::Command& command, bool one_by_one);

}  // namespace pawl::engine
