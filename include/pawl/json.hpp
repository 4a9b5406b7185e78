#pragma once
// Converts values to and from JSON text by the rules of nlohmann/json. Only text passes between this header
// and the compiled library, so a program may configure nlohmann/json as it likes.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <pawl/error.hpp>

namespace pawl {

using Json = nlohmann::json;

namespace detail {

// JSON could not be decoded to the requested type. The message names the field by its path.
class BadJson : public Error {
 public:
  explicit BadJson(const std::string& message) : Error("invalid_payload", message) {}
};

// Tries to decode and returns the error message; nothing if it succeeds.
using TryDecode = std::function<std::optional<std::string>(const Json&)>;

// Finds the path of the value that an error refers to, because the error message does not name it. The search
// replaces one value at a time by a value of another type and decodes again: at the faulty value, the message
// then names the new type. A missing member is found by adding it: the message then changes.
struct FaultSearch {
  Json whole;
  const TryDecode& try_decode;
  std::string fault;
  std::string missing = {};  // name of the missing member, if that is the error
  int tries_left = 1'000;

  bool is_at(const Json::json_pointer& at) {
    Json kept = whole[at];
    std::string expected;  // the error message, if the fault is here
    if (!missing.empty()) {
      if (!kept.is_object() || kept.contains(missing)) return false;
      whole[at][missing] = nullptr;
    } else {
      const std::string kind = kept.type_name();
      if (!fault.ends_with(kind)) return false;
      whole[at] = kept.is_null() ? Json::object() : Json(nullptr);
      expected = fault.substr(0, fault.size() - kind.size()) + whole[at].type_name();
    }
    const auto other = try_decode(whole);
    whole[at] = std::move(kept);
    return missing.empty() ? other == expected : other != fault;
  }
  std::optional<Json::json_pointer> find(const Json::json_pointer& at) {
    if (--tries_left < 0) return std::nullopt;
    if (is_at(at)) return missing.empty() ? at : at / missing;
    std::vector<Json::json_pointer> inside;
    const Json& value = whole[at];
    if (value.is_object()) {
      for (const auto& member : value.items()) inside.push_back(at / member.key());
    } else if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) inside.push_back(at / i);
    }
    for (const auto& part : inside) {
      if (auto found = find(part)) return found;
    }
    return std::nullopt;
  }
};

inline std::string fault_with_path(const Json& whole, const TryDecode& try_decode, std::string fault) {
  FaultSearch search{.whole = whole, .try_decode = try_decode, .fault = fault};
  const auto quote = fault.find("key '");
  if (quote != std::string::npos && fault.ends_with("' not found"))
    search.missing =
        fault.substr(quote + 5, fault.size() - quote - 5 - std::string_view{"' not found"}.size());
  const auto found = search.find(Json::json_pointer{});
  if (const auto end = fault.find("] "); fault.starts_with("[json.exception") && end != std::string::npos)
    fault.erase(0, end + 2);
  const std::string path = found ? found->to_string() : "";
  return path.empty() ? fault : path + ": " + fault;
}

// Integers are common results, so they are decoded without building a JSON document.
template <typename T>
inline constexpr bool kIsInteger =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, long> ||
    std::is_same_v<T, unsigned long> || std::is_same_v<T, long long> || std::is_same_v<T, unsigned long long>;

// Returns nothing unless the text is an integer that fits T. The library then decodes the text or reports
// what is wrong with it.
template <typename T>
std::optional<T> decode_integer(std::string_view text) {
  const bool begins_with_zero = text.size() > 1 && (text[0] == '0' || (text[0] == '-' && text[1] == '0'));
  T number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (begins_with_zero || fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <typename T>
inline constexpr bool kIsDuration = false;
template <typename Count, typename Period>
inline constexpr bool kIsDuration<std::chrono::duration<Count, Period>> = true;

template <typename T>
concept HasToJson = std::is_same_v<T, Json> || std::is_constructible_v<Json, const T&>;
template <typename T>
concept HasFromJson = std::is_same_v<T, Json> || requires(const Json& json) { json.template get<T>(); };

// Replaces the library's template errors by one readable error. The callers skip the rest with `if
// constexpr`.
template <typename T, bool kHasJson>
constexpr void require_json() {
  static_assert(!kIsDuration<T>,
                "pawl: a duration has no JSON form: use its count(), for example "
                "std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()");
  static_assert(
      kHasJson || kIsDuration<T>,
      "pawl: this type has no JSON form: use NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Type, members...), or "
      "write to_json, from_json and a default constructor; if it is a lambda, name the types of its "
      "parameters");
}

template <typename T>
T decode_readable(const std::string& text) {
  if constexpr (kIsInteger<T>) {
    if (const auto number = decode_integer<T>(text)) return *number;
  }
  const Json json = Json::parse(text.empty() ? "null" : text, nullptr, false);
  if (json.is_discarded()) throw BadJson("is no JSON");
  if constexpr (std::is_same_v<T, Json>) {
    return json;
  } else {
    try {
      return json.get<T>();
    } catch (const Json::exception& fault) {
      const auto try_decode = [](const Json& changed) -> std::optional<std::string> {
        try {
          static_cast<void>(changed.get<T>());
        } catch (const Json::exception& other) {
          return other.what();
        }
        return std::nullopt;
      };
      throw BadJson(fault_with_path(json, try_decode, fault.what()));
    }
  }
}

template <typename T>
T decode(const std::string& text) {
  require_json<T, HasFromJson<T>>();
  if constexpr (HasFromJson<T>) return decode_readable<T>(text);
}

// Decodes JSON that has a name. Errors begin with the name: "signal 'approved': /ok: type must be boolean".
template <typename T>
T decode_named(const std::string& text, std::string_view kind, std::string_view name) {
  try {
    return decode<T>(text);
  } catch (const BadJson& bad) {
    throw BadJson(std::string{kind} + " '" + std::string{name} + "': " + bad.what());
  }
}

// NaN and infinity would be written as null and could not be read back.
inline bool has_only_numbers(const Json& json) {
  if (json.is_number_float()) return std::isfinite(json.get<double>());
  if (!json.is_structured()) return true;
  return std::all_of(json.begin(), json.end(), has_only_numbers);
}

// Encodes the value as JSON. Calls `refuse` with the reason if JSON cannot hold it, for example text that is
// not UTF-8.
template <typename T, typename Refuse>
std::string encode_writable(const T& value, const Refuse& refuse) {
  if constexpr (kIsInteger<T>) return std::to_string(value);
  const auto text_of = [&refuse](const Json& json) {
    if (!has_only_numbers(json)) refuse("cannot be written as JSON: it has a number that is none");
    return json.dump();
  };
  try {
    if constexpr (std::is_same_v<T, Json>) {
      return text_of(value);
    } else {
      return text_of(Json(value));
    }
  } catch (const Json::exception& fault) {
    refuse(std::string{"cannot be written as JSON: "} + fault.what());
    throw;
  }
}

template <typename T, typename Refuse>
std::string encode_or(const T& value, const Refuse& refuse) {
  require_json<T, HasToJson<T>>();
  if constexpr (HasToJson<T>) return encode_writable(value, refuse);
}

// Encodes a result. Throws a Failure that is not retryable if it has no JSON form.
template <typename T>
std::string encode(const T& value) {
  return encode_or(value, [](const std::string& why) { throw Failure("invalid_result", why, false); });
}

// Encodes an argument of a call. Throws Error{"invalid_argument"} if it has no JSON form.
template <typename T>
std::string encode_argument(const T& value) {
  return encode_or(value, [](const std::string& why) { throw Error("invalid_argument", why); });
}

// Calls `call` and encodes its result; null for void.
template <typename Call>
std::string call_encoded(Call&& call) {
  if constexpr (std::is_void_v<std::invoke_result_t<Call&>>) {
    std::invoke(call);
    return "null";
  } else {
    return encode(std::invoke(call));
  }
}

// The type in which a stored result is returned. Text is returned by value, even if the function returned a
// pointer or a view.
template <typename T>
using Kept = std::conditional_t<std::is_convertible_v<T, const char*> ||
                                    std::is_same_v<std::remove_cvref_t<T>, std::string_view>,
                                std::string, std::remove_cvref_t<T>>;

// Decodes a stored result; returns nothing for void.
template <typename T>
T decode_result(const std::string& text) {
  if constexpr (!std::is_void_v<T>) return decode<T>(text);
}
template <typename T>
T decode_result(const std::string& text, std::string_view step) {
  if constexpr (!std::is_void_v<T>) return decode_named<T>(text, "result of step", step);
}

}  // namespace detail
}  // namespace pawl
