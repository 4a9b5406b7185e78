#pragma once
// JSON as it was received. A payload is stored byte for byte, including 64-bit integers, key order, duplicate
// keys and the spelling of numbers. It is checked, but never parsed and printed again.

#include <optional>
#include <string>
#include <string_view>

namespace pawl::core {

// Valid JSON text; or empty: the field was absent and reads as null.
struct RawJson {
  std::string text;

  [[nodiscard]] bool empty() const { return text.empty(); }
  bool operator==(const RawJson&) const = default;
};

struct JsonFault {
  std::string_view what;  // static storage
  std::size_t at = 0;     // byte offset
};

// Returns why `text` is not valid JSON for Pawl (RFC 8259, depth at most kJsonDepthMax, well-formed UTF-8, no
// lone surrogate escape); nullopt if it is valid. Iterative: nesting uses no stack.
[[nodiscard]] std::optional<JsonFault> json_fault(std::string_view text);
// The same as a sentence with the byte offset.
[[nodiscard]] std::optional<std::string> json_error(std::string_view text);

// The number of characters of well-formed UTF-8; nullopt for other text.
[[nodiscard]] std::optional<std::size_t> utf8_length(std::string_view text);

// `text` with each byte that is not part of well-formed UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string as_utf8(std::string_view text);

// `text` as a JSON string, quotes included. The text must be UTF-8.
[[nodiscard]] std::string json_quote(std::string_view text);
void quote_to(std::string& out, std::string_view text);  // appends it to `out`

}  // namespace pawl::core
