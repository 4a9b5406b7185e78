#pragma once
// SQLite's result codes as StoreError. Any thread.

#include <string>
#include <string_view>

#include "store/store.hpp"

struct sqlite3;

namespace pawl::store::sqlite {

[[nodiscard]] StoreError::Kind kind_of(int extended_code);

// Throws what the last failed call on `db` means: file, reason, what was tried ("opening it") and SQLite's
// own words.
[[noreturn]] void throw_error(sqlite3* db, int code, std::string_view doing);

}  // namespace pawl::store::sqlite
