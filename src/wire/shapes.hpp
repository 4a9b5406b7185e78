#pragma once
// The JSON objects of the HTTP API as tables, one line per field. /openapi.json is generated from them, and
// tests check every response against them.
//
// The type of a field is `string`, `integer`, `number`, `boolean`, `json` (any value), `duration`, `time`,
// `uuid`, or the name of a shape or enum, and for any type T:
//   T?    T or null
//   [T]   a list of T
//   {T}   an object with any names and values of type T
//   TPage one page of the shape T
// The short names in the route table (strings, labels, …) are defined in `kTypeAliases`.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "wire/routes.hpp"

namespace pawl::wire {

struct Shape {
  std::string_view name;
  std::span<const Field> fields;
  std::string_view base = {};  // a shape whose fields it inherits
  bool is_request = false;     // unknown fields are rejected
};

struct EnumShape {
  std::string_view name;
  std::vector<std::string_view> (*values)();
};

struct TypeAlias {
  std::string_view name;
  std::string_view type;
};

// A field that is always present.
[[nodiscard]] constexpr Field has(std::string_view name, std::string_view type, std::string_view about = {}) {
  return {.name = name, .type = type, .is_required = true, .about = about};
}
// A field that may be absent.
[[nodiscard]] constexpr Field maybe(std::string_view name, std::string_view type,
                                    std::string_view about = {}) {
  return {.name = name, .type = type, .is_required = false, .about = about};
}

// One function per noun, each in its own file.
[[nodiscard]] std::span<const Shape> task_shapes();
[[nodiscard]] std::span<const Shape> run_shapes();
[[nodiscard]] std::span<const Shape> step_shapes();
[[nodiscard]] std::span<const Shape> record_shapes();
[[nodiscard]] std::span<const Shape> schedule_shapes();
[[nodiscard]] std::span<const Shape> service_shapes();

[[nodiscard]] std::vector<Shape> shapes();
[[nodiscard]] std::span<const EnumShape> enum_shapes();

inline constexpr std::array kTypeAliases{
    TypeAlias{"strings", "[string]"},
    TypeAlias{"labels", "{string}"},
    TypeAlias{"durations", "{duration}?"},
    TypeAlias{"limits", "{integer}?"},
    TypeAlias{"rate", "Rate?"},
    TypeAlias{"error", "GivenError"},
    TypeAlias{"retry", "GivenRetryPolicy"},
    TypeAlias{"task", "ScheduledTask"},
    TypeAlias{"dst", "GivenDst"},
    TypeAlias{"tasks", "[EnqueueTaskRequest]"},
    TypeAlias{"nodes", "[DefinitionTask]"},
    TypeAlias{"reports", "[TaskReport]"},
    TypeAlias{"steps", "[StepWrite]"},
    TypeAlias{"suspend", "StepSuspend"},
    TypeAlias{"await", "StepAwait"},
    TypeAlias{"writes", "[RunStepsWrite]"},
    TypeAlias{"task filter", "TaskFilter"},
    TypeAlias{"run filter", "RunFilter"},
};

}  // namespace pawl::wire
