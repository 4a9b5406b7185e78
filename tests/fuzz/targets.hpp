#pragma once
// All readers of untrusted input, by name. A target must return for any bytes, and accepted input must keep
// its meaning when it is written and read again; otherwise the target aborts.

#include <span>
#include <string_view>
#include <vector>

namespace pawl::fuzz {

struct Target {
  std::string_view name;
  void (*read)(std::string_view bytes);
  std::vector<std::string_view> seeds;  // valid inputs to start from
};

[[nodiscard]] std::span<const Target> targets();
// The groups that make them up.
[[nodiscard]] std::span<const Target> body_targets();
[[nodiscard]] std::span<const Target> stored_targets();
[[nodiscard]] std::span<const Target> setting_targets();
// Returns null if there is no such target.
[[nodiscard]] const Target* find_target(std::string_view name);

}  // namespace pawl::fuzz
