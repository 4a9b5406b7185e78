#pragma once
// JSON as it was sent. A payload is kept byte for byte: 64-bit integers, key order, duplicate keys and the
// spelling of numbers included. It is only ever checked, never parsed and printed again.

#include <optional>
#include <string>
#include <string_view>

namespace pawl::core {

// Valid JSON text, or nothing at all (empty: the field was not given and reads as null).
struct RawJson {
  std::string text;

  [[nodiscard]] bool empty() const { return text.empty(); }
  bool operator==(const RawJson&) const = default;
};

struct JsonFault {
  std::string_view what;  // of static storage
  std::size_t at = 0;     // byte offset
};

// Why `text` is not JSON that we keep (RFC 8259, depth at most kJsonDepthMax, well-formed UTF-8, no lone
// surrogate escape); nothing when it is. Iterative: depth costs no stack.
[[nodiscard]] std::optional<JsonFault> json_fault(std::string_view text);
// The same as a sentence with the byte offset.
[[nodiscard]] std::optional<std::string> json_error(std::string_view text);

// Well-formed UTF-8, and how many characters; nothing otherwise.
[[nodiscard]] std::optional<std::size_t> utf8_length(std::string_view text);

// `text` as a JSON string, quotes included. The text must be UTF-8.
[[nodiscard]] std::string json_quote(std::string_view text);
void quote_to(std::string& out, std::string_view text);  // the same, behind what is there

}  // namespace pawl::core
