#include "wire/value.hpp"

#include <cstdint>

namespace pawl::wire {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// One past the closing quote of the string that opens at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// One past the last byte of the value that begins at `at`.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  if (text[at] == '"') return end_of_string(text, at);
  if (text[at] != '{' && text[at] != '[') return std::min(text.find_first_of(",]} \t\n\r", at), text.size());
  int depth = 0;
  while (true) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
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

// Undoes the escape whose backslash stands at `at`; returns one past it.
std::size_t append_escape(std::string& out, std::string_view text, std::size_t at) {
  const char c = text[at + 1];
  switch (c) {
    case 'b': out.push_back('\b'); return at + 2;
    case 'f': out.push_back('\f'); return at + 2;
    case 'n': out.push_back('\n'); return at + 2;
    case 'r': out.push_back('\r'); return at + 2;
    case 't': out.push_back('\t'); return at + 2;
    case 'u': break;
    default: out.push_back(c); return at + 2;
  }
  std::uint32_t code = hex_of(text.substr(at + 2, 4));
  at += 6;
  const bool is_high = code >= 0xD800 && code < 0xDC00;
  if (is_high) {
    code = 0x10000 + ((code - 0xD800) << 10U) + (hex_of(text.substr(at + 2, 4)) - 0xDC00);
    at += 6;
  }
  append_utf8(out, code);
  return at;
}

}  // namespace

Kind kind_of(std::string_view value) {
  switch (trimmed(value).front()) {
    case 'n': return Kind::null;
    case 't':
    case 'f': return Kind::boolean;
    case '"': return Kind::string;
    case '[': return Kind::array;
    case '{': return Kind::object;
    default: return Kind::number;
  }
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::boolean: return "a boolean";
    case Kind::number: return "a number";
    case Kind::string: return "a string";
    case Kind::array: return "an array";
    case Kind::object: return "an object";
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
  const std::string_view text = trimmed(object);
  std::vector<Member> members;
  for (std::size_t at = skip_space(text, 1); text[at] != '}';) {
    const std::size_t key_end = end_of_string(text, at);
    std::string key = text_of(text.substr(at, key_end - at));
    const std::size_t value = skip_space(text, skip_space(text, key_end) + 1);  // over the colon
    const std::size_t value_end = end_of_value(text, value);
    members.push_back({.key = std::move(key), .value = text.substr(value, value_end - value)});
    at = skip_space(text, value_end);
    if (text[at] == ',') at = skip_space(text, at + 1);
  }
  return members;
}

std::vector<std::string_view> elements_of(std::string_view array) {
  const std::string_view text = trimmed(array);
  std::vector<std::string_view> elements;
  for (std::size_t at = skip_space(text, 1); text[at] != ']';) {
    const std::size_t end = end_of_value(text, at);
    elements.push_back(text.substr(at, end - at));
    at = skip_space(text, end);
    if (text[at] == ',') at = skip_space(text, at + 1);
  }
  return elements;
}

std::string text_of(std::string_view string) {
  const std::string_view text = trimmed(string);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 1; at + 1 < text.size();) {
    if (text[at] == '\\') {
      at = append_escape(out, text, at);
    } else {
      out.push_back(text[at++]);
    }
  }
  return out;
}

}  // namespace pawl::wire
