#pragma once
// Reads an object strictly: every field is requested by name, and fields that were not requested are rejected
// by name, so that a typo never passes. All mistakes of a request are collected, with their paths
// ("tasks[3].retry.backoff").
//
//   Mistakes mistakes;
//   ObjectReader in{body, "", mistakes};
//   spec.type = in.text("type");
//   spec.delay = in.optional_duration("delay");
//   in.finish();
//   if (mistakes.any()) return mistakes.problem();
//
// A field that is null reads as absent. Precondition: json_error has found the text valid.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/problem.hpp"
#include "core/base/time.hpp"
#include "core/json/json.hpp"
#include "core/json/json_value.hpp"

namespace pawl::core {

class Mistakes {
 public:
  void add(std::string field, std::string message);
  [[nodiscard]] bool any() const { return !errors_.empty(); }
  [[nodiscard]] Problem problem() const;

 private:
  std::vector<FieldError> errors_;
};

class ObjectReader {
 public:
  // `path` is the prefix of the field names in mistakes.
  ObjectReader(std::string_view object, std::string path, Mistakes& mistakes);

  // Present, though it may be null.
  [[nodiscard]] bool has(std::string_view name);
  [[nodiscard]] bool is_null(std::string_view name);

  [[nodiscard]] std::string text(std::string_view name);
  [[nodiscard]] std::int64_t integer(std::string_view name);
  [[nodiscard]] RawJson json(std::string_view name);  // as received; empty if absent or null
  // The same, but null is a value; empty if absent.
  [[nodiscard]] RawJson json_or_null(std::string_view name);

  [[nodiscard]] std::optional<std::string> optional_text(std::string_view name);
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view name);
  [[nodiscard]] std::optional<double> optional_number(std::string_view name);
  [[nodiscard]] std::optional<bool> optional_boolean(std::string_view name);
  [[nodiscard]] std::optional<Duration> optional_duration(std::string_view name);
  [[nodiscard]] std::optional<TimePoint> optional_time(std::string_view name);
  [[nodiscard]] std::optional<Uuid> optional_uuid(std::string_view name);
  [[nodiscard]] std::optional<std::vector<std::string>> optional_texts(std::string_view name);
  [[nodiscard]] std::optional<std::map<std::string, std::string>> optional_text_map(std::string_view name);

  void optional_integers(std::string_view name, std::map<std::string, std::int64_t>& into);

  // Calls `read` with a reader of the object, if it is present.
  void optional_object(std::string_view name, const std::function<void(ObjectReader&)>& read);
  // Calls `read` for each element of the array, which is required. All elements must be objects.
  void objects(std::string_view name, const std::function<void(ObjectReader&)>& read);

  // The same without `finish`: unknown fields are accepted, for the answers of a newer server.
  void optional_object_leniently(std::string_view name, const std::function<void(ObjectReader&)>& read);
  void objects_leniently(std::string_view name, const std::function<void(ObjectReader&)>& read);
  // The elements of a required array.
  [[nodiscard]] std::vector<std::string_view> elements(std::string_view name);

  void mistake(std::string_view name, std::string message);
  // The path of the field in mistakes.
  [[nodiscard]] std::string path_of(std::string_view name) const;
  // Rejects the fields that were not requested.
  void finish();

 private:
  struct Field {
    Member member;
    bool is_read = false;
  };

  // The value, unless it is absent or null.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name);
  // The same; a value of another kind is a mistake.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name, JsonKind kind);

  std::string path_;
  Mistakes& mistakes_;
  std::vector<Field> fields_;
};

// Leaves `target` unchanged if the field is absent. It only checks that the number fits the type; each noun
// checks its own ranges.
template <typename T>
void narrow_into(ObjectReader& in, std::string_view name, T& target) {
  const auto value = in.optional_integer(name);
  if (!value) return;
  if (*value < std::numeric_limits<T>::min() || *value > std::numeric_limits<T>::max()) {
    in.mistake(name, std::to_string(*value) + " is out of range (" +
                         std::to_string(std::numeric_limits<T>::min()) + " to " +
                         std::to_string(std::numeric_limits<T>::max()) + ")");
  } else {
    target = static_cast<T>(*value);
  }
}

}  // namespace pawl::core
