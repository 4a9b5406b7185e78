#pragma once
// Makes text from a server, a payload or a name safe to print on a terminal. Pure.

#include <string>
#include <string_view>

namespace pawl::core {

// Escapes characters that a terminal would execute or hide: C1 controls, bidirectional controls, zero-width
// characters and the like become JSON escapes (\u202e), bytes that are not UTF-8 become \x9b. C0 controls
// become spaces, except tabs and line ends.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace pawl::core
