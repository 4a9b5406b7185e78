#include "cli/redact.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace pawl::cli {

namespace {

constexpr std::string_view kHidden = "***";
constexpr std::string_view kScheme = "://";
constexpr std::string_view kPassword = "password";
constexpr std::string_view kBlanks = " \t\n";

// A password may contain an unescaped '@' or quotes: it extends to the last '@', and only a blank ends an
// address.
std::optional<Span> next_in_url(std::string_view text, std::size_t start) {
  const auto scheme = text.find(kScheme, start);
  if (scheme == std::string_view::npos) return std::nullopt;
  const auto begin = scheme + kScheme.size();
  const auto end = std::min(text.find_first_of(kBlanks, begin), text.size());
  const auto url = text.substr(begin, end - begin);
  const auto colon = url.find(':');
  const auto at = url.rfind('@');
  if (at == std::string_view::npos || colon > at) return next_in_url(text, begin);
  return Span{.from = begin + colon + 1, .to = begin + at};
}

// The position after the closing quote.
std::size_t end_of_quoted(std::string_view text, std::size_t from) {
  for (auto at = from + 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '\'') {
      return at + 1;
    }
  }
  return text.size();
}

// The end of an unquoted word. Quotes around the word are not part of it.
std::size_t end_of_word(std::string_view text, std::size_t from) {
  auto end = std::min(text.find_first_of(" \t\n&", from), text.size());
  while (end > from && (text[end - 1] == '"' || text[end - 1] == '\'')) --end;
  return end;
}

std::optional<Span> next_in_words(std::string_view text, std::size_t start) {
  const auto word = text.find(kPassword, start);
  if (word == std::string_view::npos) return std::nullopt;
  const auto after = word + kPassword.size();
  const auto sign = text.find_first_not_of(kBlanks, after);
  if (sign == std::string_view::npos || text[sign] != '=') return next_in_words(text, after);
  const auto from = std::min(text.find_first_not_of(kBlanks, sign + 1), text.size());
  const bool is_quoted = from < text.size() && text[from] == '\'';
  return Span{.from = from, .to = is_quoted ? end_of_quoted(text, from) : end_of_word(text, from)};
}

template <typename Next>
std::string hidden(std::string_view text, Next next) {
  std::string shown;
  std::size_t done = 0;
  while (const auto span = next(text, done)) {
    shown += text.substr(done, span->from - done);
    shown += kHidden;
    done = span->to;
  }
  return shown.append(text.substr(done));
}

void hide_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

std::string without_passwords(std::string_view text) {
  return hidden(hidden(text, next_in_url), next_in_words);
}

std::optional<Span> password_span(std::string_view address) {
  const auto in_url = next_in_url(address, 0);
  return in_url ? in_url : next_in_words(address, 0);
}

std::string password_in(std::string_view address) {
  const auto span = password_span(address);
  return span ? std::string{address.substr(span->from, span->to - span->from)} : "";
}

std::string without_quoted(std::string text, std::string_view secret) {
  if (secret.empty()) return text;
  hide_all(text, fmt::format("\"{}\"", secret), fmt::format("\"{}\"", kHidden));
  // libpq reads the text after an unescaped '@' as the start of the host.
  const auto rest = secret.substr(std::min(secret.find('@'), secret.size() - 1) + 1);
  if (!rest.empty()) hide_all(text, fmt::format("\"{}@", rest), fmt::format("\"{}@", kHidden));
  return text;
}

}  // namespace pawl::cli
