#include "core/json/body.hpp"

#include <algorithm>
#include <type_traits>

#include <nlohmann/json.hpp>

namespace pawl::core {

Body::Body() : json_(std::make_unique<nlohmann::json>(nlohmann::json::object())) {}
Body::Body(const RawJson& text)
    : json_(std::make_unique<nlohmann::json>(nlohmann::json::parse(text.text, nullptr, false))) {
  if (!json_->is_object()) *json_ = nlohmann::json::object();
}
Body::~Body() = default;
Body::Body(Body&& other) noexcept = default;
Body& Body::operator=(Body&& other) noexcept = default;

RawJson Body::text() const { return {json_->dump()}; }
bool Body::has(const char* name) const { return json_->contains(name); }

template <typename T>
void Body::put(const char* name, const T& value) {
  (*json_)[name] = value;
}

namespace {

bool are_strings(const nlohmann::json& values) {
  return std::all_of(values.begin(), values.end(), [](const nlohmann::json& one) { return one.is_string(); });
}

template <typename T>
bool holds(const nlohmann::json& value) {
  if constexpr (std::is_same_v<T, bool>) return value.is_boolean();
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return value.is_number();
  if constexpr (std::is_same_v<T, std::string>) return value.is_string();
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return value.is_array() && are_strings(value);
  if constexpr (std::is_same_v<T, Labels>) return value.is_object() && are_strings(value);
}

}  // namespace

template <typename T>
T Body::get(const char* name) const {
  const auto found = json_->find(name);
  return found == json_->end() || !holds<T>(*found) ? T{} : found->template get<T>();
}

#define PAWL_BODY_HOLDS(T)                        \
  template void Body::put(const char*, const T&); \
  template T Body::get(const char*) const

PAWL_BODY_HOLDS(bool);
PAWL_BODY_HOLDS(std::int32_t);
PAWL_BODY_HOLDS(std::int64_t);
PAWL_BODY_HOLDS(double);
PAWL_BODY_HOLDS(std::string);
PAWL_BODY_HOLDS(std::vector<std::string>);
PAWL_BODY_HOLDS(Labels);

#undef PAWL_BODY_HOLDS

void Body::put(const char* name, const RetryPolicy& retry) {
  Body body;
  body.put("max_attempts", retry.max_attempts);
  body.put("initial_interval", retry.initial_interval);
  body.put("backoff", retry.backoff);
  body.put("max_interval", retry.max_interval);
  body.put("jitter", retry.jitter);
  body.put("non_retryable", retry.non_retryable);
  put(name, body.text());
}

std::optional<RetryPolicy> Body::optional_retry_of(const char* name) const {
  if (!has(name)) return std::nullopt;
  const Body body{raw_of(name)};
  return RetryPolicy{.max_attempts = body.get<int>("max_attempts"),
                     .initial_interval = Duration{body.get<std::int64_t>("initial_interval")},
                     .backoff = body.get<double>("backoff"),
                     .max_interval = Duration{body.get<std::int64_t>("max_interval")},
                     .jitter = body.get<double>("jitter"),
                     .non_retryable = body.get<std::vector<std::string>>("non_retryable")};
}

}  // namespace pawl::core
