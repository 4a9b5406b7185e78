// Writes a text as a JSON string. Most texts are names, ids and hashes with nothing to escape; the payload of
// an event is JSON, which is quoted once more to be hashed.
#include <array>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "core/json/json.hpp"
#include "core/json/json_words.hpp"

namespace pawl::core {

namespace {

constexpr unsigned kNeedsBackslash = 1;
constexpr unsigned kNeedsNumber = 2;  // \u0007
constexpr std::array<std::uint8_t, 256> kNeeds = [] {
  std::array<std::uint8_t, 256> needs{};
  for (std::size_t c = 0; c < 0x20; ++c) needs[c] = kNeedsNumber;
  needs['"'] = needs['\\'] = kNeedsBackslash;
  return needs;
}();

unsigned need_of(char c) { return kNeeds[static_cast<unsigned char>(c)]; }

void quote_one_by_one(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (need_of(c) == kNeedsNumber) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
      continue;
    }
    if (need_of(c) == kNeedsBackslash) out.push_back('\\');
    out.push_back(c);
  }
}

// Without branches: in JSON text every few characters need an escape, at unpredictable places. Returns false
// and writes nothing if a character needs a numeric escape.
bool quote_at_once(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  out.resize(before + 2 * text.size());
  char* to = out.data() + before;
  unsigned needed = 0;
  for (const char c : text) {
    const unsigned need = need_of(c);
    needed |= need;
    *to = '\\';
    to += need & kNeedsBackslash;
    *to++ = c;
  }
  const bool is_written = (needed & kNeedsNumber) == 0;
  out.resize(is_written ? static_cast<std::size_t>(to - out.data()) : before);
  return is_written;
}

}  // namespace

void quote_to(std::string& out, std::string_view text) {
  constexpr std::size_t kPieceMax = 4'096;
  out.push_back('"');
  if (is_plain(text)) {
    out.append(text).push_back('"');
    return;
  }
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, kPieceMax);
    if (!quote_at_once(out, piece)) quote_one_by_one(out, piece);
    text.remove_prefix(piece.size());
  }
  out.push_back('"');
}

std::string json_quote(std::string_view text) {
  std::string out;
  quote_to(out, text);
  return out;
}

}  // namespace pawl::core
