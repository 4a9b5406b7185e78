#pragma once
// Conditions: the language of a task's `when`. It is total: it has no calls, loops or assignments.
//
//   true, false, {"$ref": "#/…"}                                 the value itself, which must be a boolean
//   {"$eq": [a, b]}  and $ne                                     any two values, numbers by their exact value
//   {"$lt": [a, b]}  and $le, $gt, $ge                           two numbers, or two strings by their bytes
//   {"$in": [a, list]}                                           an element of the list is equal to a
//   {"$exists": {"$ref": "#/…"}}                                 the reference has a value, null included
//   {"$and": [condition, …]}  and $or, {"$not": condition}       from left to right, with short-circuiting
//
// An operand is a literal, a reference, a template or another operation.

#include <string>
#include <string_view>
#include <vector>

#include "core/definition/expression.hpp"

namespace pawl::core {

// Checks a condition and collects its references.
void check_condition(std::string_view value, const std::string& field, Mistakes& mistakes,
                     std::vector<PlacedReference>& references);

// Evaluates a condition. It fails if a reference does not resolve or if the values cannot be compared.
// `bytes_read` receives the number of bytes that its references read.
[[nodiscard]] Evaluated<bool> holds(const RawJson& condition, const Lookup& lookup,
                                    std::size_t* bytes_read = nullptr);

}  // namespace pawl::core
