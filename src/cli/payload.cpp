#include "cli/payload.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

#include "core/json.hpp"

namespace pawl::cli {

namespace {

std::string everything(std::istream& in) { return {std::istreambuf_iterator<char>{in}, {}}; }

core::Result<std::string> text_of(const std::string& word) {
  if (word == "-") return everything(std::cin);
  if (!word.starts_with('@')) return word;
  std::ifstream file{word.substr(1), std::ios::binary};
  if (!file) return core::invalid_field("payload", "cannot read the file " + word.substr(1));
  return everything(file);
}

std::string trimmed(const std::string& text) {
  constexpr auto kSpace = " \t\r\n";
  const auto from = text.find_first_not_of(kSpace);
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

}  // namespace

core::Result<std::string> read_payload(const std::string& word) {
  auto text = text_of(word);
  if (!text) return text;
  auto json = trimmed(*text);
  if (json.empty()) return std::string{"null"};
  if (const auto why = core::json_error(json)) {
    return core::invalid_field("payload", *why + "; a text is written in quotes: '\"hello\"'");
  }
  return json;
}

}  // namespace pawl::cli
