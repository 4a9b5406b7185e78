#include "wire/trace.hpp"

namespace pawl::wire {

namespace {

constexpr std::size_t kLength = 55;  // of version 00; later ones may add something behind it

bool is_id(std::string_view id) {
  const bool is_hex = id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_hex && id.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view header) {
  if (header.size() < kLength || (header.starts_with("00") && header.size() > kLength)) return std::nullopt;
  if (header[2] != '-' || header[35] != '-' || header[52] != '-' || header.starts_with("ff"))
    return std::nullopt;
  const std::string_view trace_id = header.substr(3, 32);
  const std::string_view span_id = header.substr(36, 16);
  if (!is_id(trace_id) || !is_id(span_id)) return std::nullopt;
  return TraceParent{.trace_id = std::string{trace_id}, .span_id = std::string{span_id}};
}

}  // namespace pawl::wire
