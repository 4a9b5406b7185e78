#pragma once
// Where chance must be fit for secrets, and hashes for what they protect.

#include <string>
#include <string_view>

namespace pawl::server {

// SHA-256 in hexadecimal.
[[nodiscard]] std::string sha256_hex(std::string_view text);
// From the operating system's source of randomness.
[[nodiscard]] std::string random_bytes(std::size_t count);

}  // namespace pawl::server
