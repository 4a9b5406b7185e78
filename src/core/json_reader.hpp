#pragma once
// Reads a request strictly: every field is asked for by name, and what was not asked for is refused by name,
// so that a typo never passes. Mistakes are gathered with their paths ("tasks[3].retry.backoff"), all of one
// request at once.
//
//   Mistakes mistakes;
//   ObjectReader in{body, "", mistakes};
//   spec.type = in.text("type");
//   spec.delay = in.optional_duration("delay");
//   in.finish();
//   if (mistakes.any()) return mistakes.problem();
//
// A field that is null reads as absent. Always: the body was checked by json_error.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.hpp"
#include "core/json.hpp"
#include "core/json_value.hpp"
#include "core/problem.hpp"
#include "core/time.hpp"

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
  // `path` stands before the names of fields in mistakes.
  ObjectReader(std::string_view object, std::string path, Mistakes& mistakes);

  // Present, though it may be null.
  [[nodiscard]] bool has(std::string_view name);
  [[nodiscard]] bool is_null(std::string_view name);

  [[nodiscard]] std::string text(std::string_view name);
  [[nodiscard]] std::int64_t integer(std::string_view name);
  [[nodiscard]] RawJson json(std::string_view name);  // as it was sent; nothing if absent

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

  // `read` is called with a reader of the object, if there is one.
  void optional_object(std::string_view name, const std::function<void(ObjectReader&)>& read);
  // `read` is called for each element, all of which must be objects. `must_be_there` refuses its absence.
  void objects(std::string_view name, const std::function<void(ObjectReader&)>& read);

  // The same where what is not known may stay: answers of a newer server.
  void optional_object_leniently(std::string_view name, const std::function<void(ObjectReader&)>& read);
  void objects_leniently(std::string_view name, const std::function<void(ObjectReader&)>& read);
  // The elements of an array that must be there.
  [[nodiscard]] std::vector<std::string_view> elements(std::string_view name);

  void mistake(std::string_view name, std::string message);
  // How a mistake names the field.
  [[nodiscard]] std::string path_of(std::string_view name) const;
  // Refuses what was not asked for.
  void finish();

 private:
  struct Field {
    Member member;
    bool is_read = false;
  };

  // The value, unless it is absent or null.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name);
  // The same, and it is of the kind.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name, JsonKind kind);

  std::string path_;
  Mistakes& mistakes_;
  std::vector<Field> fields_;
};

// Leaves `target` alone where the field is absent. Range checks with names are made by the rules of each
// noun; here a number only has to fit its type.
template <typename T>
void narrow_into(ObjectReader& in, std::string_view name, T& target) {
  const auto value = in.optional_integer(name);
  if (!value) return;
  if (*value < std::numeric_limits<T>::min() || *value > std::numeric_limits<T>::max()) {
    in.mistake(name, "is out of range");
  } else {
    target = static_cast<T>(*value);
  }
}

}  // namespace pawl::core
