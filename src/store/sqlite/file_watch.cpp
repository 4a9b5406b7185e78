#include "store/sqlite/file_watch.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/canary.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

namespace {

constexpr const char* kDatabaseAdvice =
    "put the original file back, or stop this process and restore a backup";
// A close copies the log out of the open file into the database; a kill does not.
constexpr const char* kLogAdvice =
    "stop every process that has the database open with SIGTERM, never SIGKILL: the last one to close it "
    "copies the log into the database; then start again";
constexpr const char* kSharedMemoryAdvice =
    "stop every process that has the database open with SIGTERM, then start again";

}  // namespace

FileWatch::FileWatch(const std::string& database)
    : files_{Watched{.path = database, .advice = kDatabaseAdvice},
             Watched{.path = database + "-wal", .advice = kLogAdvice},
             Watched{.path = database + "-shm", .advice = kSharedMemoryAdvice}} {
  for (Watched& file : files_) {
    struct stat found = {};
    if (::stat(file.path.c_str(), &found) != 0) {
      throw StoreError{StoreError::Kind::unavailable, fmt::format("{}: cannot be examined: {}", file.path,
                                                                  std::system_category().message(errno))};
    }
    file.device = found.st_dev;
    file.inode = found.st_ino;
  }
}

void FileWatch::check() const {
  for (const Watched& file : files_) {
    struct stat found = {};
    const bool exists = ::stat(file.path.c_str(), &found) == 0;
    if (core::planted(core::Canary::replaced_file_not_noticed)) continue;
    if (exists && found.st_dev == file.device && found.st_ino == file.inode) continue;
    throw StoreError{
        StoreError::Kind::unavailable,
        fmt::format("{}: the file was {} while this process has it open; writes are refused, "
                    "since they would be lost: {}",
                    file.path, exists ? "replaced by another one" : "deleted or moved", file.advice)};
  }
}

}  // namespace pawl::store::sqlite
