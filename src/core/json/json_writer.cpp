#include "core/json/json_writer.hpp"

#include <fmt/format.h>

namespace pawl::core {

void Writer::comma() {
  if (needs_comma_) out_.push_back(',');
  needs_comma_ = true;
}

Writer& Writer::begin_object() {
  comma();
  out_.push_back('{');
  needs_comma_ = false;
  return *this;
}

Writer& Writer::end_object() {
  out_.push_back('}');
  needs_comma_ = true;
  return *this;
}

Writer& Writer::begin_array() {
  comma();
  out_.push_back('[');
  needs_comma_ = false;
  return *this;
}

Writer& Writer::end_array() {
  out_.push_back(']');
  needs_comma_ = true;
  return *this;
}

Writer& Writer::key(std::string_view name) {
  comma();
  quote_to(out_, name);
  out_.push_back(':');
  needs_comma_ = false;
  return *this;
}

Writer& Writer::null() {
  comma();
  out_ += "null";
  return *this;
}

Writer& Writer::value(std::string_view text) {
  comma();
  quote_to(out_, text);
  return *this;
}

Writer& Writer::value(bool truth) {
  comma();
  out_ += truth ? "true" : "false";
  return *this;
}

Writer& Writer::value(std::int64_t number) {
  comma();
  const fmt::format_int digits{number};
  out_.append(digits.data(), digits.size());
  return *this;
}

Writer& Writer::value(double number) {
  comma();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

Writer& Writer::value(TimePoint time) {
  comma();
  out_.push_back('"');
  append_time(out_, time);
  out_.push_back('"');
  return *this;
}

Writer& Writer::value(Duration duration) { return value(format_duration(duration)); }

Writer& Writer::value(const RawJson& json) {
  if (json.empty()) return null();
  comma();
  out_ += json.text;
  return *this;
}

}  // namespace pawl::core
