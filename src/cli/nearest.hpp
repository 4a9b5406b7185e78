#pragma once
// The known word that a mistyped one was probably meant to be.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::cli {

// How many letters to add, drop, change or swap with their neighbour to come from one word to the other.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);
// The nearest that is near: not more than a third of the word away, and at least one letter is allowed. If
// none is, the only one that begins so.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& known);
// "; did you mean 'x'?" or nothing.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace pawl::cli
