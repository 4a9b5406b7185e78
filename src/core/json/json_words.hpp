#pragma once
// Scans the text of JSON strings eight bytes at a time. Most texts are ASCII without anything to escape.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace pawl::core {

// True if one of eight bytes is a control character, a quote, a backslash or not ASCII.
[[nodiscard]] inline bool has_special_byte(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  const std::uint64_t quote = word ^ (kOnes * '"');
  const std::uint64_t backslash = word ^ (kOnes * '\\');
  return (((word - kOnes * 0x20U) | (quote - kOnes) | (backslash - kOnes) | word) & kHighBits) != 0;
}

// The length of the plain words that `text` begins with, a multiple of eight.
[[nodiscard]] inline std::size_t plain_words(std::string_view text) {
  std::size_t length = 0;
  std::uint64_t word = 0;
  for (; length + sizeof(word) <= text.size(); length += sizeof(word)) {
    std::memcpy(&word, text.data() + length, sizeof(word));
    if (has_special_byte(word)) break;
  }
  return length;
}

// True if no byte of `text` is a control character, a quote, a backslash or not ASCII.
[[nodiscard]] inline bool is_plain(std::string_view text) {
  const std::string_view rest = text.substr(plain_words(text));
  if (rest.size() >= sizeof(std::uint64_t)) return false;
  std::uint64_t word = 0x2d2d2d2d2d2d2d2dU;  // eight dashes, which are plain
  std::memcpy(&word, rest.data(), rest.size());
  return !has_special_byte(word);
}

}  // namespace pawl::core
