#pragma once
// The subset of JSON Schema that payloads are checked by: type, properties, required, items, enum, minimum,
// maximum.

#include <string>

#include "core/json.hpp"
#include "core/result.hpp"

namespace pawl::core {

// Whether `schema` keeps to the subset; a keyword that is not known is refused by its path, since a check
// that is not made must not look as if it were.
[[nodiscard]] Status check_schema(const std::string& field, const RawJson& schema);

// Refused with the path of the first part of `value` that does not fit. The schema was checked.
[[nodiscard]] Status check_against(const RawJson& schema, const std::string& field, const RawJson& value);

}  // namespace pawl::core
