#pragma once
// Writes JSON in the order of the calls. RawJson is copied unchanged.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"
#include "core/json/json.hpp"

namespace pawl::core {

class Writer {
 public:
  Writer() = default;
  explicit Writer(std::size_t expected_bytes) { out_.reserve(expected_bytes); }
  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);

  Writer& null();
  Writer& value(std::string_view text);
  Writer& value(const char* text) { return value(std::string_view{text}); }
  Writer& value(const std::string& text) { return value(std::string_view{text}); }
  Writer& value(bool truth);
  Writer& value(std::int64_t number);
  Writer& value(int number) { return value(static_cast<std::int64_t>(number)); }
  Writer& value(double number);
  Writer& value(TimePoint time);
  Writer& value(Duration duration);
  Writer& value(const RawJson& json);  // null if empty
  template <typename T>
  Writer& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }

  template <typename T>
  Writer& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void comma();

  std::string out_;
  bool needs_comma_ = false;
};

// Absent and empty values are not written.
inline void field_if(Writer& out, std::string_view name, const std::string& value) {
  if (!value.empty()) out.field(name, value);
}
inline void field_if(Writer& out, std::string_view name, const RawJson& value) {
  if (!value.empty()) out.field(name, value);
}
template <typename T>
void field_if(Writer& out, std::string_view name, const std::optional<T>& value) {
  if (value) out.field(name, *value);
}

}  // namespace pawl::core
