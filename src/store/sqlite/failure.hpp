#pragma once
// Converts SQLite's result codes to StoreError. Thread-safe.

#include <string>
#include <string_view>

#include "store/store.hpp"

struct sqlite3;

namespace pawl::store::sqlite {

[[nodiscard]] StoreError::Kind kind_of(int extended_code);

// Throws the error of the last failed call on `db`: file, reason, attempted operation ("opening it") and
// SQLite's message.
[[noreturn]] void throw_error(sqlite3* db, int code, std::string_view doing);

}  // namespace pawl::store::sqlite
