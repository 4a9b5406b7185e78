#pragma once
// Reads and writes the JSON text of records. Only Pawl writes these texts, so they are not validated: a field
// that is absent or has another type reads as its default, and a damaged text reads as an empty object. The
// stores return no record whose text is not an object.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/time.hpp"
#include "core/json/json.hpp"
#include "core/task/retry.hpp"
#include "core/task/task.hpp"

namespace pawl::core {

class Body {
 public:
  Body();
  explicit Body(const RawJson& text);
  ~Body();
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  Body(Body&& other) noexcept;
  Body& operator=(Body&& other) noexcept;

  [[nodiscard]] RawJson text() const;

  // Absent optionals and empty JSON are not written.
  void put(const char* name, TimePoint value) { put(name, micros(value)); }
  void put(const char* name, Duration value) { put(name, std::int64_t{value.count()}); }
  void put(const char* name, const RawJson& value) {  // as a string, so that it is read back byte for byte
    if (!value.empty()) put(name, value.text);
  }
  void put(const char* name, const RetryPolicy& retry);
  template <typename T>
  void put(const char* name, const std::optional<T>& value) {
    if (value) put(name, *value);
  }
  // Instantiated for the types listed in body.cpp, so that only that file compiles the JSON library's
  // templates.
  template <typename T>
  void put(const char* name, const T& value);
  template <typename T>
  [[nodiscard]] T get(const char* name) const;

  [[nodiscard]] std::string text_of(const char* name) const { return get<std::string>(name); }
  [[nodiscard]] RawJson raw_of(const char* name) const { return {text_of(name)}; }
  [[nodiscard]] TimePoint time_of(const char* name) const {
    return time_from_micros(get<std::int64_t>(name));
  }
  template <typename T>
  [[nodiscard]] std::optional<T> optional_of(const char* name) const {
    if (!has(name)) return std::nullopt;
    return get<T>(name);
  }
  [[nodiscard]] std::optional<TimePoint> optional_time_of(const char* name) const {
    if (!has(name)) return std::nullopt;
    return time_of(name);
  }
  [[nodiscard]] std::optional<Duration> optional_duration_of(const char* name) const {
    if (!has(name)) return std::nullopt;
    return Duration{get<std::int64_t>(name)};
  }
  [[nodiscard]] std::optional<RetryPolicy> optional_retry_of(const char* name) const;

 private:
  [[nodiscard]] bool has(const char* name) const;

  std::unique_ptr<nlohmann::json> json_;
};

}  // namespace pawl::core
