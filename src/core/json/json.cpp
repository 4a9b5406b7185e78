#include "core/json/json.hpp"

#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/limits.hpp"
#include "core/json/json_envelope.hpp"
#include "core/json/json_words.hpp"

namespace pawl::core {

namespace {

static_assert(kJsonDepthMax == 64 && kEnvelopeDepthMax == 80, "errors name them");

struct Utf8Range {
  std::uint8_t lead_from, lead_to, second_from, second_to;
  int length;
};
// Table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
constexpr std::array kUtf8Ranges{
    Utf8Range{0xc2, 0xdf, 0x80, 0xbf, 2}, Utf8Range{0xe0, 0xe0, 0xa0, 0xbf, 3},
    Utf8Range{0xe1, 0xec, 0x80, 0xbf, 3}, Utf8Range{0xed, 0xed, 0x80, 0x9f, 3},
    Utf8Range{0xee, 0xef, 0x80, 0xbf, 3}, Utf8Range{0xf0, 0xf0, 0x90, 0xbf, 4},
    Utf8Range{0xf1, 0xf3, 0x80, 0xbf, 4}, Utf8Range{0xf4, 0xf4, 0x80, 0x8f, 4},
};

std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

// The length of the multi-byte character at `at` in bytes; 0 if it is not well-formed.
std::size_t multibyte_length(std::string_view text, std::size_t at) {
  const std::uint8_t lead = byte_at(text, at);
  for (const auto& range : kUtf8Ranges) {
    if (lead < range.lead_from || lead > range.lead_to) continue;
    const auto length = static_cast<std::size_t>(range.length);
    if (at + length > text.size()) return 0;
    const std::uint8_t second = byte_at(text, at + 1);
    if (second < range.second_from || second > range.second_to) return 0;
    for (std::size_t i = 2; i < length; ++i) {
      if ((byte_at(text, at + i) & 0xc0U) != 0x80U) return 0;
    }
    return length;
  }
  return 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A pushdown automaton: `open_` is the stack of open brackets, `expect_` what may follow.
class TextChecker {
 public:
  TextChecker(std::string_view text, int depth_max)
      : text_(text), depth_max_(static_cast<std::size_t>(depth_max)) {}

  std::optional<JsonFault> run() {
    skip_space();
    while (error_ == nullptr && !(open_.empty() && expect_ == Expect::end)) step();
    if (error_ == nullptr && at_ < text_.size()) error_ = "unexpected text after the value";
    if (error_ == nullptr) return std::nullopt;
    return JsonFault{.what = error_, .at = at_};
  }

 private:
  enum class Expect : std::uint8_t { value, value_or_close, key, key_or_close, comma_or_close, end };

  void step() {
    if (at_ >= text_.size()) {
      error_ = "unexpected end of the text";
      return;
    }
    switch (expect_) {
      case Expect::value:
      case Expect::value_or_close: value(); break;
      case Expect::key:
      case Expect::key_or_close: key(); break;
      case Expect::comma_or_close: comma_or_close(); break;
      case Expect::end: error_ = "unexpected text after the value"; break;
    }
    if (error_ == nullptr) skip_space();
  }

  void value() {
    const char c = text_[at_];
    if (c == '{' || c == '[') {
      open(c);
    } else if (c == ']' && expect_ == Expect::value_or_close) {
      close();
    } else {
      scalar(c);
      if (error_ == nullptr) after_value();
    }
  }

  void scalar(char c) {
    if (c == '"') {
      string();
    } else if (c == '-' || is_digit(c)) {
      number();
    } else if (!literal("true") && !literal("false") && !literal("null")) {
      error_ = "a value was expected";
    }
  }

  void key() {
    const char c = text_[at_];
    if (c == '}' && expect_ == Expect::key_or_close) {
      close();
      return;
    }
    if (c != '"') {
      error_ = "a name in quotes was expected";
      return;
    }
    string();
    if (error_ != nullptr) return;
    skip_space();
    if (at_ >= text_.size() || text_[at_] != ':') {
      error_ = "a colon was expected";
      return;
    }
    ++at_;
    expect_ = Expect::value;
  }

  void comma_or_close() {
    const char c = text_[at_];
    const char closing = open_.back() == '{' ? '}' : ']';
    if (c == closing) {
      close();
    } else if (c == ',') {
      ++at_;
      expect_ = open_.back() == '{' ? Expect::key : Expect::value;
    } else {
      error_ = "a comma or a closing bracket was expected";
    }
  }

  void open(char bracket) {
    if (open_.size() >= depth_max_ && !planted(Canary::json_depth_ignored)) {
      error_ = depth_max_ == kJsonDepthMax ? "the value is nested deeper than 64"
                                           : "the text is nested deeper than 80 (64 within a value)";
      return;
    }
    open_.push_back(bracket);
    ++at_;
    expect_ = bracket == '{' ? Expect::key_or_close : Expect::value_or_close;
  }

  void close() {
    open_.pop_back();
    ++at_;
    after_value();
  }

  void after_value() { expect_ = open_.empty() ? Expect::end : Expect::comma_or_close; }

  void string() {
    ++at_;
    at_ += plain_words(text_.substr(at_));
    while (at_ < text_.size()) {
      const std::uint8_t c = byte_at(text_, at_);
      if (c == '"') {
        ++at_;
        return;
      }
      if (c < 0x20) {
        error_ = "unescaped control character in a string";
        return;
      }
      if (c == '\\') {
        escape();
        if (error_ != nullptr) return;
      } else if (c < 0x80) {
        ++at_;
      } else {
        const std::size_t length = multibyte_length(text_, at_);
        if (length == 0) {
          error_ = "the text is not UTF-8";
          return;
        }
        at_ += length;
      }
    }
    error_ = "a string is not closed";
  }

  void escape() {
    if (at_ + 1 >= text_.size()) {
      error_ = "a string is not closed";
      return;
    }
    const char c = text_[at_ + 1];
    if (c == 'u') {
      unicode_escape();
    } else if (std::string_view{"\"\\/bfnrt"}.find(c) != std::string_view::npos) {
      at_ += 2;
    } else {
      error_ = "unknown escape in a string";
    }
  }

  void unicode_escape() {
    const auto unit = escaped_unit(at_);
    if (!unit) {
      error_ = "a \\u escape needs four hexadecimal digits";
      return;
    }
    if (*unit >= 0xd800 && *unit <= 0xdbff) {
      const auto low = escaped_unit(at_ + 6);
      if (!low || *low < 0xdc00 || *low > 0xdfff) {
        error_ = "lone surrogate escape in a string";
        return;
      }
      at_ += 12;
    } else if (*unit >= 0xdc00 && *unit <= 0xdfff) {
      error_ = "lone surrogate escape in a string";
    } else {
      at_ += 6;
    }
  }

  [[nodiscard]] std::optional<unsigned> escaped_unit(std::size_t at) const {
    if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') return std::nullopt;
    unsigned unit = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const char c = text_[i];
      unsigned digit = 0;
      if (is_digit(c)) {
        digit = static_cast<unsigned>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<unsigned>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<unsigned>(c - 'A') + 10;
      } else {
        return std::nullopt;
      }
      unit = unit * 16 + digit;
    }
    return unit;
  }

  void number() {
    if (text_[at_] == '-') ++at_;
    if (at_ < text_.size() && text_[at_] == '0') {
      ++at_;
    } else if (!digits()) {
      error_ = "a number needs digits";
      return;
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      if (!digits()) error_ = "a number needs digits after its point";
    }
    if (error_ == nullptr && at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (!digits()) error_ = "a number needs digits in its exponent";
    }
  }

  bool digits() {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > from;
  }

  bool literal(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t depth_max_;
  std::size_t at_ = 0;
  Expect expect_ = Expect::value;
  std::string open_;
  const char* error_ = nullptr;
};

std::optional<std::string> sentence_of(const std::optional<JsonFault>& fault) {
  if (!fault) return std::nullopt;
  return fmt::format("{} (at byte {})", fault->what, fault->at);
}

}  // namespace

std::optional<JsonFault> json_fault(std::string_view text) { return TextChecker{text, kJsonDepthMax}.run(); }

std::optional<std::string> json_error(std::string_view text) { return sentence_of(json_fault(text)); }

std::optional<std::string> envelope_error(std::string_view text) {
  return sentence_of(TextChecker{text, kEnvelopeDepthMax}.run());
}

std::optional<std::size_t> utf8_length(std::string_view text) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++characters) {
    const std::size_t length = byte_at(text, at) < 0x80 ? 1 : multibyte_length(text, at);
    if (length == 0) return std::nullopt;
    at += length;
  }
  return characters;
}

std::string as_utf8(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  if (utf8_length(text)) return std::string{text};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = byte_at(text, at) < 0x80 ? 1 : multibyte_length(text, at);
    out += length == 0 ? kReplacement : text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

}  // namespace pawl::core
