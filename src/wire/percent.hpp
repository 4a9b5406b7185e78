#pragma once
// Names in addresses.

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace pawl::wire {

// Undoes percent encoding; nothing if it is malformed or not UTF-8.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
[[nodiscard]] std::string percent_encoded(std::string_view text);
// A query as the text of a JSON object whose values are strings, for ObjectReader.
[[nodiscard]] core::Result<std::string> query_object(std::string_view query);

}  // namespace pawl::wire
