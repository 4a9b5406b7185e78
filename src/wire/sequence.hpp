#pragma once
// Parses event sequences in headers and queries. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"

namespace pawl::wire {

// `field`: the field that the problem names.
[[nodiscard]] core::Result<std::int64_t> parse_sequence(std::string_view field, std::string_view text);
// Parses If-Match: a number, quoted or not. None: absent, or `*`.
[[nodiscard]] core::Result<std::optional<std::int64_t>> parse_if_match(std::string_view text);

}  // namespace pawl::wire
