#pragma once
// Pages of a run's nodes, in the order of their keys: a long history is returned in parts of bounded size.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/limits.hpp"
#include "core/run/run.hpp"

namespace pawl::core {

// The body of a code run has the lowest key, so the first page begins with it.
struct NodePage {
  NodeKey from = {};                   // the page begins here, or at the next key that exists
  std::size_t nodes = kMemoPageNodes;  // at most
  std::size_t bytes = kMemoPageBytes;  // of outputs; a page holds at least one node
};

struct NodeSlice {
  std::vector<Node> nodes = {};      // by key
  std::optional<NodeKey> next = {};  // where the next page begins; absent: there is none
};

// Both are ordered by key: a changed node replaces its stored version. Nodes beyond the slice are left to
// later pages.
void overlay(NodeSlice& slice, std::span<const Node* const> changed);
// Drops the nodes outside the page.
void cut(NodeSlice& slice, const NodePage& page);

// The page that a claim returns for each of `bodies` bodies; with `in_pages` the rest is read page by page.
[[nodiscard]] NodePage claim_page(std::size_t bodies, bool in_pages);

// The key as text, which clients send back.
[[nodiscard]] std::string cursor_of(NodeKey key);
[[nodiscard]] std::optional<NodeKey> key_from_cursor(std::string_view cursor);

}  // namespace pawl::core
