#include "client/raw_json.hpp"

#include <algorithm>

#include "core/json/json.hpp"
#include "core/json/json_value.hpp"

namespace pawl::client {

std::optional<std::string_view> raw_member(std::string_view object, std::string_view name) {
  if (core::trimmed(object).empty() || core::kind_of(object) != core::JsonKind::object) return std::nullopt;
  for (const core::Member& member : core::members_of(object)) {
    if (member.key == name) return member.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> raw_elements(std::string_view array) {
  if (core::trimmed(array).empty() || core::kind_of(array) != core::JsonKind::array) return {};
  return core::elements_of(array);
}

std::string one_line(std::string_view json) {
  std::string line{json};
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

ObjectText& ObjectText::text(std::string_view name, std::string_view value) {
  out_.field(name, value);
  return *this;
}

ObjectText& ObjectText::number(std::string_view name, std::int64_t value) {
  out_.field(name, value);
  return *this;
}

ObjectText& ObjectText::real(std::string_view name, double value) {
  out_.field(name, value);
  return *this;
}

ObjectText& ObjectText::raw(std::string_view name, std::string_view json) {
  out_.field(name, core::RawJson{std::string{json}});
  return *this;
}

std::string ObjectText::str() const {
  wire::Writer whole = out_;
  return whole.end_object().take();
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
