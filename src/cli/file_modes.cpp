#include "cli/file_modes.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

namespace pawl::cli {

namespace {

constexpr mode_t kPermissions = 07777;
constexpr mode_t kOthersAny = 0077;    // a lock requires only that the file can be opened
constexpr mode_t kOthersWrite = 0022;  // in a folder: create and replace files

void add_if_there(const std::string& path, std::vector<FileMode>& files) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return;
  files.push_back(
      {.path = path, .mode = status.st_mode & kPermissions, .is_folder = S_ISDIR(status.st_mode)});
}

bool is_open_to_others(const FileMode& file) {
  return (file.mode & (file.is_folder ? kOthersWrite : kOthersAny)) != 0;
}

}  // namespace

std::vector<FileMode> store_file_modes(const std::string& database) {
  std::vector<FileMode> files;
  for (const char* suffix : {"", "-wal", "-shm", "-turn", "-mark"}) add_if_there(database + suffix, files);
  const auto folder = std::filesystem::path{database}.parent_path();
  add_if_there(folder.empty() ? "." : folder.string(), files);
  return files;
}

Finding files_finding(const std::vector<FileMode>& files) {
  Finding finding{.check = "files", .seen = "only their owner can open them"};
  std::string seen;
  std::string advice;
  for (const FileMode& file : files) {
    if (!is_open_to_others(file)) continue;
    seen += fmt::format("{}{} has mode {:04o}", seen.empty() ? "" : ", ", file.path, file.mode);
    advice +=
        fmt::format("{}chmod {} {}", advice.empty() ? "" : "; ", file.is_folder ? "go-w" : "600", file.path);
  }
  if (seen.empty()) return finding;
  finding.verdict = Verdict::warning;
  finding.seen = "other users can open or replace them: " + seen;
  finding.advice = advice;
  return finding;
}

}  // namespace pawl::cli
