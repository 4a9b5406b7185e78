#pragma once
// Checks that a definition's tasks form an executable graph: names exist, there is no cycle, and references
// read only tasks that have ended before. Used by the definition reader.

#include <cstddef>
#include <vector>

#include "core/definition/definition.hpp"
#include "core/definition/expression.hpp"
#include "core/json/json_reader.hpp"

namespace pawl::core {

inline constexpr std::size_t kOfTheRun = static_cast<std::size_t>(-1);

// A reference in a definition. `task` is the index of the task that contains it, or kOfTheRun in the run's
// output.
struct UsedReference {
  std::size_t task = kOfTheRun;
  PlacedReference placed = {};
};

void check_graph(const Definition& definition, const std::vector<UsedReference>& references,
                 Mistakes& mistakes);

}  // namespace pawl::core
