#pragma once
// Sequences of a run's events in headers and queries. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/result.hpp"

namespace pawl::wire {

// `field`: what it is refused by.
[[nodiscard]] core::Result<std::int64_t> parse_sequence(std::string_view field, std::string_view text);
// Of If-Match: a number, in quotes or not. None: absent, or the star.
[[nodiscard]] core::Result<std::optional<std::int64_t>> parse_if_match(std::string_view text);

}  // namespace pawl::wire
