#pragma once
// Identifies a node of a run: its index in the definition (in an open run: in the order of addition), and the
// element of a for_each.

#include <compare>
#include <cstdint>

#include "core/definition/adjacency.hpp"

namespace pawl::core {

inline constexpr std::int32_t kNoItem = -1;
struct NodeKey {
  NodeIndex index = 0;
  std::int32_t item = kNoItem;

  auto operator<=>(const NodeKey&) const = default;
};

}  // namespace pawl::core
