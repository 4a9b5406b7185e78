#pragma once
// Percent encoding and decoding of URL parts.

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace pawl::wire {

// Decodes percent encoding; none if it is malformed or not UTF-8.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
[[nodiscard]] std::string percent_encoded(std::string_view text);
// Converts a query to the text of a JSON object with string values, for ObjectReader.
[[nodiscard]] core::Result<std::string> query_object(std::string_view query);

}  // namespace pawl::wire
