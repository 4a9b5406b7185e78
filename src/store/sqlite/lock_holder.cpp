#include "store/sqlite/lock_holder.hpp"

#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pawl::store::sqlite {

namespace {

// SQLite's write lock is this byte of the shared-memory file ("The WAL-index file format").
constexpr std::int64_t kWriteLockByte = 120;

// Reads /proc/locks instead of calling F_GETLK: that needs a descriptor of the file, and closing any
// descriptor of it drops all locks that this process has on it.
std::optional<pid_t> find_holder(const std::string& shared_memory) {
  struct stat file = {};
  if (::stat(shared_memory.c_str(), &file) != 0) return std::nullopt;
  std::ifstream locks{"/proc/locks"};
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words{line};
    std::string number;
    std::string type;
    std::string mode;
    std::string access;
    std::string where;  // device:device:inode
    std::string last;
    pid_t pid = 0;
    std::int64_t first = 0;
    if (!(words >> number >> type >> mode >> access >> pid >> where >> first >> last)) continue;  // or "->"
    const bool is_write_lock = type == "POSIX" && access == "WRITE" && first <= kWriteLockByte &&
                               (last == "EOF" || std::stoll(last) >= kWriteLockByte);
    if (is_write_lock && where.ends_with(":" + std::to_string(file.st_ino))) return pid;
  }
  return std::nullopt;
}

struct ProcessState {
  std::string name = "?";
  char state = '?';
};

// "pid (name) state …"; the name may contain spaces and parentheses.
ProcessState state_of(pid_t pid) {
  std::ifstream file{fmt::format("/proc/{}/stat", pid)};
  std::string line;
  std::getline(file, line);
  const auto begin = line.find('(');
  const auto end = line.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end + 2 >= line.size()) return {};
  return {.name = line.substr(begin + 1, end - begin - 1), .state = line[end + 2]};
}

}  // namespace

std::string describe_lock_holder(const std::string& database) {
  const auto pid = find_holder(database + "-shm");
  if (!pid)
    return "the process that holds the write lock is not known (`fuser` shows those with the file open)";
  if (*pid == ::getpid()) return "this process itself holds the write lock, in another transaction";
  const ProcessState process = state_of(*pid);
  if (process.state == 'T' || process.state == 't')
    return fmt::format(
        "process {0} ({1}) holds the write lock and is stopped: continue it with `kill -CONT {0}` "
        "or end it with `kill -KILL {0}`",
        *pid, process.name);
  return fmt::format(
      "process {0} ({1}) holds the write lock: wait for its transaction, or end it with `kill {0}`", *pid,
      process.name);
}

}  // namespace pawl::store::sqlite
