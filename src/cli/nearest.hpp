#pragma once
// Finds the known word that a mistyped word probably means.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::cli {

// The number of letters to add, drop, change or swap with their neighbor to turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);
// The nearest known word with a distance of at most a third of the word, but at least 1. If there is none,
// the only known word that begins with `word`.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& known);
// Returns "; did you mean 'x'?" or an empty string.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace pawl::cli
