#pragma once
// The mode of the files that a store creates: a database holds payloads and token hashes, and a lock file
// that other users could open would let them block every writer. Thread-safe.

#include <string>

#include <sys/types.h>

namespace pawl::store::sqlite {

inline constexpr mode_t kPrivateFile = 0600;

// Creates an empty file unless the path exists; SQLite reports any error when it opens the file. SQLite
// itself would apply the umask; the log and the shared memory inherit the mode of the database.
void create_private(const std::string& path);

}  // namespace pawl::store::sqlite
