#pragma once
// Pages of a run's nodes, in the order of their keys: a long history is handed over in parts of bounded size.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/limits.hpp"
#include "core/run.hpp"

namespace pawl::core {

// The body of a code run has the lowest key, so a page from the start begins with it.
struct NodePage {
  NodeKey from = {};                   // the first key of the page, if there is such a node
  std::size_t nodes = kMemoPageNodes;  // at most
  std::size_t bytes = kMemoPageBytes;  // of outputs; one node is returned whatever its size
};

struct NodeSlice {
  std::vector<Node> nodes = {};      // by key
  std::optional<NodeKey> next = {};  // where the following page begins; none: there are no more
};

// Both by key: a changed node replaces its stored version. Nodes behind the slice are left to later pages.
void overlay(NodeSlice& slice, std::span<const Node* const> changed);
// Drops the nodes that are not within the page.
void cut(NodeSlice& slice, const NodePage& page);

// What a claim hands to each of so many bodies; `in_pages`: the rest is read page by page.
[[nodiscard]] NodePage claim_page(std::size_t bodies, bool in_pages);

// The key as text, for clients to send back.
[[nodiscard]] std::string cursor_of(NodeKey key);
[[nodiscard]] std::optional<NodeKey> key_from_cursor(std::string_view cursor);

}  // namespace pawl::core
