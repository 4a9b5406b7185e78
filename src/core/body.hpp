#pragma once
// How the nouns write the bodies of their records. Bodies are ours alone: what is read here was written here,
// so a field that is absent has its default, and a body that is no JSON is a bug. For .cpp files only.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/ensure.hpp"
#include "core/json.hpp"
#include "core/time.hpp"

namespace pawl::core {

class Body {
 public:
  Body() : json_(nlohmann::json::object()) {}
  explicit Body(const RawJson& text) : json_(nlohmann::json::parse(text.text, nullptr, false)) {
    PAWL_ENSURE(json_.is_object(), "a record's body is the object that its noun wrote");
  }

  [[nodiscard]] RawJson text() const { return {json_.dump()}; }

  // What is absent or empty is not written.
  void put(const char* name, TimePoint value) { json_[name] = micros(value); }
  void put(const char* name, Duration value) { json_[name] = value.count(); }
  void put(const char* name, const RawJson& value) {  // as a text: it must come back byte for byte
    if (!value.empty()) json_[name] = value.text;
  }
  template <typename T>
  void put(const char* name, const std::optional<T>& value) {
    if (value) put(name, *value);
  }
  template <typename T>
  void put(const char* name, const T& value) {
    json_[name] = value;
  }

  template <typename T>
  [[nodiscard]] T get(const char* name) const {
    const auto found = json_.find(name);
    return found == json_.end() ? T{} : found->template get<T>();
  }
  [[nodiscard]] std::string text_of(const char* name) const { return get<std::string>(name); }
  [[nodiscard]] RawJson raw_of(const char* name) const { return {text_of(name)}; }
  [[nodiscard]] TimePoint time_of(const char* name) const {
    return time_from_micros(get<std::int64_t>(name));
  }
  template <typename T>
  [[nodiscard]] std::optional<T> optional_of(const char* name) const {
    if (!json_.contains(name)) return std::nullopt;
    return get<T>(name);
  }
  [[nodiscard]] std::optional<TimePoint> optional_time_of(const char* name) const {
    if (!json_.contains(name)) return std::nullopt;
    return time_of(name);
  }
  [[nodiscard]] std::optional<Duration> optional_duration_of(const char* name) const {
    if (!json_.contains(name)) return std::nullopt;
    return Duration{get<std::int64_t>(name)};
  }

 private:
  nlohmann::json json_;
};

}  // namespace pawl::core
