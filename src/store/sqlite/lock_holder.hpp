#pragma once
// Identifies the process that holds the write lock of a database, for the error after a lock timeout.

#include <string>

namespace pawl::store::sqlite {

// "process 4711 (pawl, stopped) holds the write lock: …", with a remedy. Reports an unknown holder where the
// operating system does not show it, for example in another container.
[[nodiscard]] std::string describe_lock_holder(const std::string& database);

}  // namespace pawl::store::sqlite
