#pragma once
// The checks of `pawl verify` that the database runs on its own tables; docs/guides/verify.md describes each
// one. The queries have the same names in each database.

#include <array>
#include <string_view>

namespace pawl::store {

// The integrity of the file; if it fails, nothing else can be read.
inline constexpr std::string_view kFileCheck = "T00";

// In the column order of `count_checked_rows`.
inline constexpr std::array<std::string_view, 10> kTableChecks{"T01", "T02", "T03", "T04", "T05",
                                                               "T06", "T07", "T08", "T09", "T10"};

}  // namespace pawl::store
