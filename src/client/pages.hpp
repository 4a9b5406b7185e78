#pragma once
// What the calls on things with names have in common: paths of lists, pages, answers of no interest.

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/api.hpp"
#include "wire/percent.hpp"
#include "wire/reader.hpp"

namespace pawl::client {

[[nodiscard]] inline std::string list_path(std::string_view start, int limit, const std::string& cursor) {
  return fmt::format("{}?limit={}{}{}", start, limit,
                     cursor.empty() ? "" : "&cursor=", wire::percent_encoded(cursor));
}

// Of items that `read` reads one of.
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
