#pragma once
// The mode of the files that a store creates: a database holds payloads and tokens' hashes, and a lock file
// that other users can open lets them block every writer. Any thread.

#include <string>

#include <sys/types.h>

namespace pawl::store::sqlite {

inline constexpr mode_t kPrivateFile = 0600;

// Creates an empty file unless the path exists; SQLite reports whatever is wrong with it. SQLite itself would
// use the umask; it gives the log and the shared memory the mode of the database.
void create_private(const std::string& path);

}  // namespace pawl::store::sqlite
