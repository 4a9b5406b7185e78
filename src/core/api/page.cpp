#include "core/api/page.hpp"

#include <fmt/format.h>

namespace pawl::core {

namespace {

Status check_at_most(int limit, int max) {
  if (limit >= 1 && limit <= max) return Done{};
  return invalid_field("limit", fmt::format("must be from 1 to {}, not {}", max, limit));
}

}  // namespace

Status check_page_limit(int limit) { return check_at_most(limit, kPageMax); }

Status check_bulk_limit(int limit) { return check_at_most(limit, kBulkTasksMax); }

}  // namespace pawl::core
