#pragma once
// What makes the tasks of a definition a graph that can be run: names that are there, no cycle, references to
// what has ended before. For the reader of definitions.

#include <cstddef>
#include <vector>

#include "core/definition.hpp"
#include "core/expression.hpp"
#include "core/json_reader.hpp"

namespace pawl::core {

inline constexpr std::size_t kOfTheRun = static_cast<std::size_t>(-1);

// A reference in a definition. `task` is the place of the task that it stands in, kOfTheRun in the run's
// output.
struct UsedReference {
  std::size_t task = kOfTheRun;
  PlacedReference placed = {};
};

void check_graph(const Definition& definition, const std::vector<UsedReference>& references,
                 Mistakes& mistakes);

}  // namespace pawl::core
