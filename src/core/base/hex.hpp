#pragma once
// Writes bytes as lowercase hexadecimal digits into a given buffer. A hot path: each event has ids and a
// hash.

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace pawl::core {

using HexPair = std::array<char, 2>;
inline constexpr std::array<HexPair, 256> kHexPairs = [] {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<HexPair, 256> pairs{};
  for (std::size_t byte = 0; byte < pairs.size(); ++byte)
    pairs[byte] = {kDigits[byte >> 4U], kDigits[byte & 0x0fU]};
  return pairs;
}();

// Writes two digits for each byte; returns the end of the output.
inline char* put_hex(std::span<const std::uint8_t> bytes, char* to) {
  for (const std::uint8_t byte : bytes) {
    std::memcpy(to, kHexPairs[byte].data(), sizeof(HexPair));
    to += sizeof(HexPair);
  }
  return to;
}

}  // namespace pawl::core
