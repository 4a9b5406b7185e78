#pragma once
// The W3C trace context: which trace a request belongs to.

#include <optional>
#include <string>
#include <string_view>

namespace pawl::wire {

struct TraceParent {
  std::string trace_id = {};
  std::string span_id = {};

  bool operator==(const TraceParent&) const = default;
};
// Of a traceparent header. What is malformed is no trace, as the standard has it: a request is never refused
// for it.
[[nodiscard]] std::optional<TraceParent> parse_traceparent(std::string_view header);

}  // namespace pawl::wire
