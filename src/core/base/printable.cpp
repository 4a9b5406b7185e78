#include "core/base/printable.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "core/json/json.hpp"

namespace pawl::core {

namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};
constexpr std::array kHidden{
    CodeRange{0x80, 0x9f},        // C1: U+009B begins a command, as ESC [ does
    CodeRange{0xad, 0xad},        // soft hyphen
    CodeRange{0x34f, 0x34f},      // combining grapheme joiner
    CodeRange{0x61c, 0x61c},      // Arabic letter mark
    CodeRange{0x115f, 0x1160},    // Hangul fillers
    CodeRange{0x17b4, 0x17b5},    // Khmer inherent vowels
    CodeRange{0x180b, 0x180f},    // Mongolian separators
    CodeRange{0x200b, 0x200f},    // zero width, direction marks
    CodeRange{0x2028, 0x202e},    // line separators, bidirectional embeddings and overrides
    CodeRange{0x2060, 0x206f},    // word joiner, isolates
    CodeRange{0x3164, 0x3164},    // Hangul filler
    CodeRange{0xfeff, 0xfeff},    // zero width no-break space
    CodeRange{0xfff9, 0xfffb},    // interlinear annotations
    CodeRange{0x1d173, 0x1d17a},  // musical format controls
    CodeRange{0xe0000, 0xe0fff},  // tags
};

struct Character {
  char32_t code;
  std::size_t bytes;
};

bool is_hidden(char32_t code) {
  return std::any_of(kHidden.begin(), kHidden.end(),
                     [code](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

// nullopt if the text does not begin with a UTF-8 character.
std::optional<Character> first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (bytes > text.size() || utf8_length(text.substr(0, bytes)) != 1) return std::nullopt;
  char32_t code = bytes == 1 ? lead : lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3fU);
  return Character{.code = code, .bytes = bytes};
}

void append_code(std::string& shown, char32_t code) {
  const auto out = std::back_inserter(shown);
  if (code <= 0xffff) {
    fmt::format_to(out, "\\u{:04x}", static_cast<unsigned>(code));
    return;
  }
  const auto rest = static_cast<unsigned>(code - 0x10000);
  fmt::format_to(out, "\\u{:04x}\\u{:04x}", 0xd800U + (rest >> 10U), 0xdc00U + (rest & 0x3ffU));
}

bool is_shown(char c) { return (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t'; }

}  // namespace

std::string printable(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_shown)) return std::string{text};
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (!character) {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (bytes == 1) {
      shown += is_shown(text.front()) ? text.front() : ' ';
    } else if (is_hidden(character->code)) {
      append_code(shown, character->code);
    } else {
      shown += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

}  // namespace pawl::core
