#pragma once
// Describes the responses of each call; /openapi.json is generated from this and the route table.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/routes.hpp"
#include "wire/shapes.hpp"

namespace pawl::wire {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kEventStream = "text/event-stream";

// A response other than a problem. Several entries with the same status are several media types.
struct Success {
  int status = 0;
  std::string_view type = {};  // as in shapes.hpp; empty: no body
  std::string_view media = kJson;
};

// Headers that a call reads or sends besides those of its method.
using Headers = unsigned;
inline constexpr Headers kNoHeaders = 0;
inline constexpr Headers kTraced = 1;       // reads traceparent and tracestate
inline constexpr Headers kConditional = 2;  // reads If-Match
inline constexpr Headers kTagged = 4;       // sends ETag
inline constexpr Headers kReadsYaml = 8;    // accepts application/yaml bodies

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
