#include "client/raw_json.hpp"

#include <algorithm>

#include "core/json.hpp"

namespace pawl::client {

namespace {

// Walks over valid JSON; at_ stands at the first character of a token or at the end.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) { skip_space(); }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    skip_space();
    return true;
  }

  std::string_view value() {
    const auto from = at_;
    if (peek() == '"') {
      string();
    } else if (peek() == '{' || peek() == '[') {
      nested();
    } else {
      while (at_ < text_.size() && !is_end(text_[at_])) ++at_;
    }
    const auto slice = text_.substr(from, at_ - from);
    skip_space();
    return slice;
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  static bool is_end(char c) { return is_space(c) || c == ',' || c == '}' || c == ']'; }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  void string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void nested() {
    int depth = 0;
    do {
      const char c = text_[at_];
      if (c == '"') {
        string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    } while (depth > 0 && at_ < text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string_view> raw_member(std::string_view object, std::string_view name) {
  Walker walker{object};
  if (!walker.take('{')) return std::nullopt;
  const std::string quoted = core::json_quote(name);
  while (walker.peek() == '"') {
    const auto member = walker.value();
    walker.take(':');
    const auto value = walker.value();
    if (member == quoted) return value;
    walker.take(',');
  }
  return std::nullopt;
}

std::vector<std::string_view> raw_elements(std::string_view array) {
  std::vector<std::string_view> elements;
  Walker walker{array};
  if (!walker.take('[')) return elements;
  while (walker.peek() != ']' && walker.peek() != '\0') {
    elements.push_back(walker.value());
    walker.take(',');
  }
  return elements;
}

std::string one_line(std::string_view json) {
  std::string line{json};
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

ObjectText& ObjectText::text(std::string_view name, std::string_view value) {
  return raw(name, core::json_quote(value));
}

ObjectText& ObjectText::number(std::string_view name, std::int64_t value) {
  return raw(name, std::to_string(value));
}

ObjectText& ObjectText::raw(std::string_view name, std::string_view json) {
  if (!members_.empty()) members_ += ',';
  members_ += core::json_quote(name);
  members_ += ':';
  members_ += json;
  return *this;
}

std::string array_text(const std::vector<std::string>& strings) {
  std::string text = "[";
  for (const auto& string : strings) {
    if (text.size() > 1) text += ',';
    text += core::json_quote(string);
  }
  return text + "]";
}

}  // namespace pawl::client
