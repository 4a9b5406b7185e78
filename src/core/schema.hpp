#pragma once
// The subset of JSON Schema that payloads are checked by: type, properties, required, items, enum, minimum,
// maximum.

#include <memory>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/result.hpp"

namespace pawl::core {

// A declared type's schema may be so long: each check of a payload stays far below a millisecond.
inline constexpr std::size_t kSchemaBytesMax = 64U << 10U;

// Whether `schema` keeps to the subset; a keyword that is not known is refused by its path, since a check
// that is not made must not look as if it were.
[[nodiscard]] Status check_schema(const std::string& field, const RawJson& schema);

// A schema that was parsed, for any number of values. Copies share what was parsed, which never changes.
//
// Always: what a check costs depends on the value, not on the size of the schema.
class Schema {
 public:
  Schema() = default;  // fits everything
  // `text` was checked; empty: fits everything. Values must also be objects with the `required` fields, if
  // there are any.
  explicit Schema(const RawJson& text, const std::vector<std::string>& required = {});

  // Refused with the path of the first part of `value` that does not fit.
  [[nodiscard]] Status check(const std::string& field, const RawJson& value) const;
  [[nodiscard]] bool fits_everything() const { return parsed_ == nullptr; }

  struct Parsed;

 private:
  std::shared_ptr<const Parsed> parsed_;  // by all copies
};

}  // namespace pawl::core
