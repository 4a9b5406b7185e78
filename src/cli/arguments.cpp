#include "cli/arguments.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "cli/redact.hpp"

namespace pawl::cli {

namespace {

constexpr std::string_view kFlag = "--token";

void overwrite(char* word, std::size_t from, std::size_t length) { std::fill_n(word + from, length, '*'); }

}  // namespace

void hide_secrets(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word{words[i]};
    const bool is_value = std::string_view{words[i - 1]} == kFlag;
    const bool has_value = word.starts_with(kFlag) && word.substr(kFlag.size()).starts_with('=');
    if (is_value || has_value) {
      const std::size_t from = is_value ? 0 : kFlag.size() + 1;
      overwrite(words[i], from, word.size() - from);
      continue;
    }
    if (const auto password = password_span(word))
      overwrite(words[i], password->from, password->to - password->from);
  }
}

}  // namespace pawl::cli
