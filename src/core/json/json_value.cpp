#include "core/json/json_value.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/json/decimal.hpp"
#include "core/json/json.hpp"

namespace pawl::core {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// The functions below walk text that was checked when it was received. Stored text may have been damaged
// since, so each walk ends at the end of the text at the latest.

// The byte at `at`; behind the end NUL, which does not occur in JSON.
char byte_or_nul(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

// One past the closing quote of the string that opens at `at`. It searches from quote to quote, since the C
// library scans many bytes at a time; a quote after an odd number of backslashes belongs to the string.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t quote = text.find('"', at + 1);; quote = text.find('"', quote + 1)) {
    if (quote == std::string_view::npos) return text.size();
    std::size_t before = quote - 1;
    while (text[before] == '\\') --before;
    if ((quote - before) % 2 == 1) return quote + 1;
  }
}

// The change of the nesting depth at `c`.
int depth_change(char c) {
  static constexpr std::array<std::int8_t, 256> kChanges = [] {
    std::array<std::int8_t, 256> changes{};
    changes['{'] = changes['['] = 1;
    changes['}'] = changes[']'] = -1;
    return changes;
  }();
  return kChanges[static_cast<unsigned char>(c)];
}

// One past the last byte of the number, boolean or null that begins at `at`.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  const auto ends_it = [](char c) { return c == ',' || c == ']' || c == '}' || is_space(c); };
  while (at < text.size() && !ends_it(text[at])) ++at;
  return at;
}

// One past the last byte of the value that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  const char first = byte_or_nul(text, at);
  if (first == '"') return end_of_string(text, at);
  if (first != '{' && first != '[') return end_of_word(text, at);
  for (int depth = 0;;) {
    if (at >= text.size()) return text.size();
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    depth += depth_change(c);
    ++at;
    if (depth == 0) return at;
  }
}

std::uint32_t hex_of(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  return value;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | (code >> 6U));
    put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12U));
    put(0x80U | ((code >> 6U) & 0x3FU));
    put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | (code >> 18U));
    put(0x80U | ((code >> 12U) & 0x3FU));
    put(0x80U | ((code >> 6U) & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

// Decodes the escape whose backslash is at `at`; returns one past it.
std::size_t append_escape(std::string& out, std::string_view text, std::size_t at) {
  const char c = byte_or_nul(text, at + 1);
  switch (c) {
    case 'b': out.push_back('\b'); return at + 2;
    case 'f': out.push_back('\f'); return at + 2;
    case 'n': out.push_back('\n'); return at + 2;
    case 'r': out.push_back('\r'); return at + 2;
    case 't': out.push_back('\t'); return at + 2;
    case 'u': break;
    default: out.push_back(c); return at + 2;
  }
  const auto digits_from = [&](std::size_t from) { return text.substr(std::min(from, text.size()), 4); };
  std::uint32_t code = hex_of(digits_from(at + 2));
  at += 6;
  const bool is_high = code >= 0xD800 && code < 0xDC00;
  if (is_high) {
    code = 0x10000 + ((code - 0xD800) << 10U) + (hex_of(digits_from(at + 2)) - 0xDC00);
    at += 6;
  }
  append_utf8(out, code);
  return at;
}

void append_canonical(std::string& out, std::string_view value, NumberForm numbers);

void append_canonical_object(std::string& out, std::string_view object, NumberForm numbers) {
  std::vector<Member> members = members_of(object);
  std::stable_sort(members.begin(), members.end(),
                   [](const Member& a, const Member& b) { return a.key < b.key; });
  out.push_back('{');
  for (const Member& member : members) {
    if (&member != &members.front()) out.push_back(',');
    out += json_quote(member.key);
    out.push_back(':');
    append_canonical(out, member.value, numbers);
  }
  out.push_back('}');
}

void append_canonical_array(std::string& out, std::string_view array, NumberForm numbers) {
  out.push_back('[');
  const std::vector<std::string_view> elements = elements_of(array);
  for (const std::string_view& element : elements) {
    if (&element != &elements.front()) out.push_back(',');
    append_canonical(out, element, numbers);
  }
  out.push_back(']');
}

// Recursion is bounded by JSON's own depth, kJsonDepthMax.
void append_canonical(std::string& out, std::string_view value, NumberForm numbers) {
  switch (kind_of(value)) {
    case JsonKind::object: append_canonical_object(out, value, numbers); break;
    case JsonKind::array: append_canonical_array(out, value, numbers); break;
    case JsonKind::string: out += json_quote(text_of(value)); break;
    case JsonKind::number:
      out += numbers == NumberForm::by_value ? number_form(trimmed(value)) : std::string{trimmed(value)};
      break;
    default: out += trimmed(value); break;
  }
}

}  // namespace

JsonKind kind_of(std::string_view value) {
  switch (byte_or_nul(trimmed(value), 0)) {
    case 'n': return JsonKind::null;
    case 't':
    case 'f': return JsonKind::boolean;
    case '"': return JsonKind::string;
    case '[': return JsonKind::array;
    case '{': return JsonKind::object;
    default: return JsonKind::number;
  }
}

std::string_view name_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::null: return "null";
    case JsonKind::boolean: return "a boolean";
    case JsonKind::number: return "a number";
    case JsonKind::string: return "a string";
    case JsonKind::array: return "an array";
    case JsonKind::object: return "an object";
  }
  return "";
}

std::string_view trimmed(std::string_view value) {
  const std::size_t first = skip_space(value, 0);
  std::size_t last = value.size();
  while (last > first && is_space(value[last - 1])) --last;
  return value.substr(first, last - first);
}

std::vector<Member> members_of(std::string_view object) {
  constexpr std::size_t kMostly = 8;
  const std::string_view text = trimmed(object);
  std::vector<Member> members;
  members.reserve(kMostly);
  for (std::size_t at = skip_space(text, 1); at < text.size() && text[at] != '}';) {
    const std::size_t key_end = end_of_string(text, at);
    std::string key = text_of(text.substr(at, key_end - at));
    const std::size_t colon = skip_space(text, key_end);
    const std::size_t value = std::min(skip_space(text, colon + 1), text.size());
    const std::size_t value_end = end_of_value(text, value);
    members.push_back({.key = std::move(key),
                       .name = text.substr(at, key_end - at),
                       .value = text.substr(value, value_end - value)});
    at = skip_space(text, value_end);
    if (byte_or_nul(text, at) == ',') at = skip_space(text, at + 1);
  }
  return members;
}

std::vector<std::string_view> elements_of(std::string_view array) {
  const std::string_view text = trimmed(array);
  std::vector<std::string_view> elements;
  for (std::size_t at = skip_space(text, 1); at < text.size() && text[at] != ']';) {
    const std::size_t end = end_of_value(text, at);
    elements.push_back(text.substr(at, end - at));
    const std::size_t next = skip_space(text, end);
    at = byte_or_nul(text, next) == ',' ? skip_space(text, next + 1) : std::max(next, at + 1);
  }
  return elements;
}

std::string text_of(std::string_view string) {
  const std::string_view text = trimmed(string);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 1; at + 1 < text.size();) {
    const std::size_t escape = std::min(text.find('\\', at), text.size() - 1);
    out += text.substr(at, escape - at);
    at = escape + 1 < text.size() ? append_escape(out, text, escape) : escape;
  }
  return out;
}

int depth_of(std::string_view value) {
  int depth = 0;
  int deepest = 0;
  for (std::size_t at = 0; at < value.size();) {
    const char c = value[at];
    if (c == '"') {
      at = end_of_string(value, at);
      continue;
    }
    depth += depth_change(c);
    deepest = std::max(deepest, depth);
    ++at;
  }
  return deepest;
}

std::string compacted(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = value[at] == '"' ? end_of_string(value, at) : at + 1;
    if (!is_space(value[at])) out += value.substr(at, end - at);
    at = end;
  }
  return out;
}

std::string canonical(std::string_view value, NumberForm numbers) {
  std::string out;
  append_canonical(out, value, numbers);
  return out;
}

}  // namespace pawl::core
