#pragma once
// pawl doctor: checks for common problems and recommends what to do about each.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.hpp"
#include "core/base/time.hpp"

namespace pawl::cli {

enum class Verdict : std::uint8_t { ok, warning, failed };

struct Finding {
  std::string check;
  Verdict verdict = Verdict::ok;
  std::string seen = {};
  std::string advice = {};  // what to do; empty if ok
};

// Parses the date of an HTTP response: "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::optional<core::TimePoint> parse_http_date(const std::string& text);
[[nodiscard]] Finding clock_finding(const std::string& date_header, core::TimePoint now);

[[nodiscard]] Command doctor_command();

}  // namespace pawl::cli
