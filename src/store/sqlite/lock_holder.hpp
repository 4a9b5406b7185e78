#pragma once
// Names the process that holds the write lock of a database, for the error of a process that waited for it.

#include <string>

namespace pawl::store::sqlite {

// "process 4711 (pawl, stopped) holds the write lock: …", with what to do. Says that the holder is not known
// where the operating system does not tell, as in another container.
[[nodiscard]] std::string describe_lock_holder(const std::string& database);

}  // namespace pawl::store::sqlite
