#pragma once
// Conditions: what a task's `when` says. A total language without calls, loops or assignments:
//
//   true, false, {"$ref": "#/…"}                                 the value itself, which must be a boolean
//   {"$eq": [a, b]}  and $ne                                     any two values, numbers by their exact value
//   {"$lt": [a, b]}  and $le, $gt, $ge                           two numbers, or two strings by their bytes
//   {"$in": [a, list]}                                           one of the list's elements is equal to a
//   {"$exists": {"$ref": "#/…"}}                                 there is a value, null included
//   {"$and": [condition, …]}  and $or, {"$not": condition}       from the left, no further than needed
//
// An operand is a literal, a reference, a template or another operation.

#include <string>
#include <string_view>
#include <vector>

#include "core/expression.hpp"

namespace pawl::core {

// Checks a condition and gathers its references.
void check_condition(std::string_view value, const std::string& field, Mistakes& mistakes,
                     std::vector<PlacedReference>& references);

// Whether it holds; an error where a reference leads nowhere or the values cannot be compared. `bytes_read`
// is how much its references have read.
[[nodiscard]] Evaluated<bool> holds(const RawJson& condition, const Lookup& lookup,
                                    std::size_t* bytes_read = nullptr);

}  // namespace pawl::core
