#pragma once
// SHA-256 (FIPS 180-4). Our own, so that core needs no library for what it must be able to check itself.

#include <string>
#include <string_view>

namespace pawl::core {

// In hexadecimal.
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace pawl::core
