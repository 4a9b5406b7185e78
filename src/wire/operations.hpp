#pragma once
// The operations of /openapi.json, generated from the route table.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/routes.hpp"
#include "wire/shapes.hpp"

namespace pawl::wire {

// One operation of /openapi.json.
struct Operation {
  const Route* route = nullptr;
  std::string path = {};     // of the route; a path with {action} becomes one operation per action
  std::string_view id = {};  // usable as a method name; never changes
  std::string_view summary = {};
  std::span<const Field> body = {};
  std::vector<Success> successes = {};
  std::string_view event = {};  // shape of each event's data, if the call has a stream
  Headers headers = kNoHeaders;
};

// In the order of the route table.
[[nodiscard]] std::vector<Operation> operations();

}  // namespace pawl::wire
