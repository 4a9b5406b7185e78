#pragma once
// What a tick found due, as commands.

#include <vector>

#include "core/command.hpp"

namespace pawl::engine {

// While something that is due is damaged, each thing is a command of its own (`one_by_one`): one harms no
// other.
[[nodiscard]] std::vector<core::Command> parts_of(core::Command& command, bool one_by_one);

}  // namespace pawl::engine
