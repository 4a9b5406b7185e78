#pragma once
// Parses the W3C trace context of a request. As the standard requires, a malformed context counts as none and
// never rejects a request. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/task/task.hpp"

namespace pawl::wire {

struct TraceParent {
  std::string trace_id = {};
  std::string span_id = {};
  std::uint8_t flags = 0;  // only flags that the standard defines

  bool operator==(const TraceParent&) const = default;
};
// Parses a traceparent header of any version.
[[nodiscard]] std::optional<TraceParent> parse_traceparent(std::string_view header);

// Parses all tracestate headers, joined with commas, and shortens them as the standard allows. Empty if a
// member is malformed.
[[nodiscard]] std::string parse_tracestate(std::string_view headers);

// Both headers, in the form that is forwarded.
[[nodiscard]] std::optional<core::TraceContext> parse_trace(std::string_view traceparent,
                                                            std::string_view tracestate);

}  // namespace pawl::wire
