#include "store/sqlite/file_watch.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "core/base/canary.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

namespace {

constexpr const char* kDatabaseAdvice =
    "put the original file back, or stop this process and restore a backup";
// Closing the database copies the log from the open file into the database; killing the process does not.
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
    const auto found = find_identity(file.path);
    if (!found) {
      throw StoreError{StoreError::Kind::unavailable,
                       fmt::format("{}: cannot read the file's identity: {}", file.path,
                                   std::system_category().message(errno))};
    }
    file.identity = *found;
  }
}

// Not `stat`, which also reads the file times. After such a read, Linux 6.13 and later give the next write a
// timestamp of its own, which the journal of the file system must record: each flush took 35 µs longer.
std::optional<FileWatch::Identity> FileWatch::find_identity(const std::string& path) {
  struct statx found = {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO, &found) != 0) return std::nullopt;
  return Identity{
      .device_major = found.stx_dev_major, .device_minor = found.stx_dev_minor, .inode = found.stx_ino};
}

void FileWatch::check() const {
  for (const Watched& file : files_) {
    const auto found = find_identity(file.path);
    if (core::planted(core::Canary::replaced_file_not_noticed) || found == file.identity) continue;
    throw StoreError{
        StoreError::Kind::unavailable,
        fmt::format("{}: the file was {} while this process has it open; writes are refused, "
                    "since they would be lost: {}",
                    file.path, found ? "replaced by another one" : "deleted or moved", file.advice)};
  }
}

}  // namespace pawl::store::sqlite
