#include "cli/payload.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

#include "client/raw_json.hpp"
#include "core/json/json.hpp"

namespace pawl::cli {

namespace {

std::string everything(std::istream& in) { return {std::istreambuf_iterator<char>{in}, {}}; }

core::Result<std::string> text_of(const std::string& word) {
  if (word == "-") return read_file(word);
  if (!word.starts_with('@')) return word;
  return read_file(word.substr(1));
}

std::string trimmed(const std::string& text) {
  constexpr auto kSpace = " \t\r\n";
  const auto from = text.find_first_not_of(kSpace);
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

}  // namespace

core::Result<std::string> read_file(const std::string& name) {
  if (name == "-") return everything(std::cin);
  std::ifstream file{name, std::ios::binary};
  if (!file) return core::invalid_field("file", "cannot be read: " + name);
  return everything(file);
}

core::Result<std::string> labels_text(const std::vector<std::string>& labels) {
  client::ObjectText object;
  for (const auto& label : labels) {
    const auto equals = label.find('=');
    if (equals == std::string::npos || equals == 0) {
      return core::invalid_field("label", "must be NAME=VALUE, not '" + label + "'");
    }
    object.text(label.substr(0, equals), label.substr(equals + 1));
  }
  return object.str();
}

std::string label_filter(std::string label) {
  if (const auto equals = label.find('='); equals != std::string::npos) label[equals] = ':';
  return label;
}

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
