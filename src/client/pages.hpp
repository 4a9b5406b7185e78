#pragma once
// Helpers for the calls on named objects: paths of lists, pages, and answers that are ignored.

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/api/api.hpp"
#include "wire/percent.hpp"
#include "wire/reader.hpp"

namespace pawl::client {

[[nodiscard]] inline std::string list_path(std::string_view start, int limit, const std::string& cursor) {
  return fmt::format("{}?limit={}{}{}", start, limit,
                     cursor.empty() ? "" : "&cursor=", wire::percent_encoded(cursor));
}

// Reads a page of items; `read` reads one of them.
template <typename Item>
[[nodiscard]] auto page_reader(Item read) {
  return [read](wire::ObjectReader& in) {
    core::Page<decltype(read(in))> page;
    in.objects_leniently("items", [&](wire::ObjectReader& one) { page.items.push_back(read(one)); });
    page.next_cursor = in.optional_text("next_cursor");
    return page;
  };
}

[[nodiscard]] inline core::Done nothing(wire::ObjectReader& /*in*/) { return core::Done{}; }

}  // namespace pawl::client
