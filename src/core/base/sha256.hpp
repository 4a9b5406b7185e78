#pragma once
// SHA-256 (FIPS 180-4) for content hashes, by OpenSSL, which uses the processor's instructions for it.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::core {

using Sha256Digest = std::array<std::uint8_t, 32>;

[[nodiscard]] Sha256Digest sha256(std::string_view bytes);
// 64 hexadecimal digits in lower case.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace pawl::core
