#pragma once
// Checks the permissions of a SQLite store's files. Stores made by earlier versions have the modes of the
// umask.

#include <string>
#include <vector>

#include <sys/types.h>

#include "cli/doctor.hpp"

namespace pawl::cli {

struct FileMode {
  std::string path;
  mode_t mode = 0;  // permission bits only
  bool is_folder = false;
};

// The existing files of the store, and their folder.
[[nodiscard]] std::vector<FileMode> store_file_modes(const std::string& database);
// Warns of files that other users can read, write or lock, and of a folder in which they can create or
// replace files. Pure.
[[nodiscard]] Finding files_finding(const std::vector<FileMode>& files);

}  // namespace pawl::cli
