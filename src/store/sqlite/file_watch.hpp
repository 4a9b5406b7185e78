#pragma once
// Detects that the database, its log or its shared memory was deleted or replaced while this process has
// them open. Commits would go on into files that no path leads to, and be gone at the next start. Immutable
// after construction; any thread.

#include <array>
#include <string>

#include <sys/types.h>

namespace pawl::store::sqlite {

class FileWatch {
 public:
  // `database` is the path of a database that a connection of this process has read from, so that all three
  // files exist. Throws StoreError (`unavailable`) where one does not.
  explicit FileWatch(const std::string& database);

  // Three calls of stat. Throws StoreError (`unavailable`) that names the file and what to do.
  void check() const;

 private:
  struct Watched {
    std::string path;
    const char* advice = nullptr;
    dev_t device = 0;
    ino_t inode = 0;
  };
  std::array<Watched, 3> files_;
};

}  // namespace pawl::store::sqlite
