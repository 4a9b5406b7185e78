#include "cli/nearest.hpp"

#include <algorithm>

namespace pawl::cli {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= to.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t change = cost[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

namespace {

// A truncated word is unambiguous if only one known word begins with it.
std::optional<std::string> only_one_beginning(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLeast = 2;
  const auto begins_so = [&](const std::string& candidate) { return candidate.starts_with(word); };
  const auto first = std::find_if(known.begin(), known.end(), begins_so);
  if (word.size() < kLeast || first == known.end()) return std::nullopt;
  return std::find_if(first + 1, known.end(), begins_so) == known.end() ? std::optional{*first}
                                                                        : std::nullopt;
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    const auto distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    best = candidate;
    least = distance;
  }
  return best ? best : only_one_beginning(word, known);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const auto found = nearest(word, known);
  return found ? "; did you mean '" + *found + "'?" : "";
}

}  // namespace pawl::cli
