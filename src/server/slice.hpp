#pragma once
// Pages of a list that is short enough to be read as a whole. The cursor is the number of preceding items.

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/api/api.hpp"
#include "core/base/limits.hpp"
#include "server/body.hpp"

namespace pawl::server {

struct Slice {
  std::optional<int> limit = {};  // none: no limit
  std::size_t from = 0;
};

[[nodiscard]] inline Slice read_slice(wire::ObjectReader& in) {
  Slice slice{.limit = read_number(in, "limit")};
  if (slice.limit && (*slice.limit < 1 || *slice.limit > core::kPageMax))
    in.mistake("limit", fmt::format("must be from 1 to {}", core::kPageMax));
  const std::string cursor = in.optional_text("cursor").value_or("0");
  const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), slice.from);
  if (error != std::errc{} || end != cursor.data() + cursor.size())
    in.mistake("cursor", "is not a valid cursor");
  return slice;
}

template <typename T>
core::Page<T> page_of(const std::vector<T>& all, const Slice& slice) {
  const std::size_t from = std::min(slice.from, all.size());
  const std::size_t wanted = slice.limit ? static_cast<std::size_t>(*slice.limit) : all.size();
  const std::size_t end = from + std::min(wanted, all.size() - from);
  core::Page<T> page{.items = {all.begin() + static_cast<std::ptrdiff_t>(from),
                               all.begin() + static_cast<std::ptrdiff_t>(end)}};
  if (end < all.size()) page.next_cursor = std::to_string(end);
  return page;
}

template <typename T>
core::Result<core::Page<T>> page_of(const core::Result<std::vector<T>>& all, const Slice& slice) {
  if (!all) return all.problem();
  return page_of(*all, slice);
}

}  // namespace pawl::server
