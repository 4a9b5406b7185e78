#include "core/run/node_page.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace pawl::core {

void overlay(NodeSlice& slice, std::span<const Node* const> changed) {
  std::vector<Node> merged;
  merged.reserve(slice.nodes.size() + changed.size());
  auto stored = slice.nodes.begin();
  for (const Node* node : changed) {
    if (slice.next && node->key >= *slice.next) break;
    for (; stored != slice.nodes.end() && stored->key < node->key; ++stored)
      merged.push_back(std::move(*stored));
    if (stored != slice.nodes.end() && stored->key == node->key) ++stored;
    merged.push_back(*node);
  }
  std::move(stored, slice.nodes.end(), std::back_inserter(merged));
  slice.nodes = std::move(merged);
}

void cut(NodeSlice& slice, const NodePage& page) {
  const auto is_before = [](const Node& node, NodeKey key) { return node.key < key; };
  const auto first = std::lower_bound(slice.nodes.begin(), slice.nodes.end(), page.from, is_before);
  slice.nodes.erase(slice.nodes.begin(), first);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < slice.nodes.size(); ++i) {
    bytes += slice.nodes[i].output.text.size();
    const bool fits = i < page.nodes && (i == 0 || bytes <= page.bytes);
    if (fits) continue;
    slice.next = slice.nodes[i].key;
    slice.nodes.resize(i);
    return;
  }
}

NodePage claim_page(std::size_t bodies, bool in_pages) {
  if (!in_pages) {
    return {.nodes = kMemoNodesMax, .bytes = std::max(kClaimWholeMemoBytesMax / bodies, kMemoPageBytesMin)};
  }
  return {.nodes = std::clamp(kClaimMemoNodesMax / bodies, kMemoPageNodesMin, kMemoPageNodes),
          .bytes = std::clamp(kClaimMemoBytesMax / bodies, kMemoPageBytesMin, kMemoPageBytes)};
}

std::string cursor_of(NodeKey key) { return fmt::format("{}.{}", key.index, key.item); }

std::optional<NodeKey> key_from_cursor(std::string_view cursor) {
  NodeKey key;
  const char* const end = cursor.data() + cursor.size();
  const auto index = std::from_chars(cursor.data(), end, key.index);
  if (index.ec != std::errc{} || index.ptr == end || *index.ptr != '.') return std::nullopt;
  const auto item = std::from_chars(index.ptr + 1, end, key.item);
  if (item.ec != std::errc{} || item.ptr != end) return std::nullopt;
  return key;
}

}  // namespace pawl::core
