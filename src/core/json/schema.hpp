#pragma once
// The subset of JSON Schema against which payloads are checked: type (one or a list), properties, required,
// items, enum, minimum, maximum. Annotations (title, description, default, examples and so on) are accepted
// and check nothing; `format` is one of them.

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/json/json.hpp"

namespace pawl::core {

// The maximum size of a declared type's schema: checking a payload then stays far below a millisecond.
inline constexpr std::size_t kSchemaBytesMax = 64U << 10U;

// Checks that `schema` stays within the subset. An unknown keyword is rejected by its path, since a check
// that is not made must not look as if it were.
[[nodiscard]] Status check_schema(const std::string& field, const RawJson& schema);

// A parsed schema for any number of values. Copies share the parsed form, which never changes.
//
// Invariant: the cost of a check depends on the value, not on the size of the schema.
class Schema {
 public:
  Schema() = default;  // accepts everything
  // `text` must have been checked; empty: accepts everything. If `required` is not empty, values must also be
  // objects with these fields.
  explicit Schema(const RawJson& text, const std::vector<std::string>& required = {});

  // The problem names the path of the first part of `value` that does not fit.
  [[nodiscard]] Status check(const std::string& field, const RawJson& value) const;
  [[nodiscard]] bool fits_everything() const { return parsed_ == nullptr; }

  struct Parsed;

 private:
  std::shared_ptr<const Parsed> parsed_;  // shared by all copies
};

}  // namespace pawl::core
