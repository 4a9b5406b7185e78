#pragma once
// Everything that reads what a stranger wrote, by name. A target must come back from any bytes at all; what
// it accepts must also mean the same when it is written and read again. It ends the process where it does
// not.

#include <span>
#include <string_view>
#include <vector>

namespace pawl::fuzz {

struct Target {
  std::string_view name;
  void (*read)(std::string_view bytes);
  std::vector<std::string_view> seeds;  // what is right, to begin from
};

[[nodiscard]] std::span<const Target> targets();
// Parts of them.
[[nodiscard]] std::span<const Target> body_targets();
[[nodiscard]] std::span<const Target> stored_targets();
[[nodiscard]] std::span<const Target> setting_targets();
// Null if there is none of that name.
[[nodiscard]] const Target* find_target(std::string_view name);

}  // namespace pawl::fuzz
