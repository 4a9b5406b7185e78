#pragma once
// Pages of lists, and bulk changes: what the calls of all nouns have in common.

#include <optional>
#include <string>
#include <vector>

#include "core/base/limits.hpp"
#include "core/base/result.hpp"

namespace pawl::core {

template <typename T>
struct Page {
  std::vector<T> items = {};
  std::optional<std::string> next_cursor = {};
};

struct BulkResult {
  int matched = 0;
  int changed = 0;

  bool operator==(const BulkResult&) const = default;
};

// Lists records in the order of their names. Tokens belong to no namespace: `ns` is ignored for them.
struct ListRecords {
  std::string ns = "default";
  int limit = kPageDefault;
  std::string cursor = {};
};

// The checks of `limit` of a list and of a bulk change.
[[nodiscard]] Status check_page_limit(int limit);
[[nodiscard]] Status check_bulk_limit(int limit);

}  // namespace pawl::core
