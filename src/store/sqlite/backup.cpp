#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/log_mark.hpp"
#include "store/sqlite/private_files.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace pawl::store {

namespace {

[[noreturn]] void cannot(const std::string& path, int error) {
  throw StoreError{StoreError::Kind::unavailable,
                   fmt::format("{}: {}", path, std::system_category().message(error))};
}

void sync(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) cannot(path, errno);
  const int error = fsync(file) == 0 ? 0 : errno;
  close(file);
  if (error != 0) cannot(path, error);
}

// A copy that replaces its original is older than the mark beside the original (LogMark), so it needs another
// id.
void rename_mark(const std::string& copy) {
  sqlite::Connection connection{{.path = copy, .is_writer = true}};
  sqlite::LogMark::prepare(connection);
  connection.statement(sqlite::sql::rename_file_mark).run();
}

}  // namespace

// Writes to a temporary name until the copy is complete and on the disk: a file with the requested name is
// always a complete backup.
void backup_sqlite(const std::string& path, const std::string& into) {
  const std::string unfinished = into + ".unfinished";
  std::error_code in_the_way;  // ignored: writing the file will fail too and report the cause
  std::filesystem::remove(unfinished, in_the_way);
  {
    sqlite::Connection connection{{.path = path}};
    sqlite::create_private(unfinished);
    connection.statement(sqlite::sql::backup).run(unfinished);
  }
  rename_mark(unfinished);
  sync(unfinished);
  if (std::rename(unfinished.c_str(), into.c_str()) != 0) cannot(into, errno);
  const std::filesystem::path folder = std::filesystem::absolute(into).parent_path();
  sync(folder.string());
}

}  // namespace pawl::store
