#pragma once
// Who may open the files of a SQLite store. Stores that earlier versions made have the modes of the umask.

#include <string>
#include <vector>

#include <sys/types.h>

#include "cli/doctor.hpp"

namespace pawl::cli {

struct FileMode {
  std::string path;
  mode_t mode = 0;  // of the permissions alone
  bool is_folder = false;
};

// The files that are there, and the folder that they are in.
[[nodiscard]] std::vector<FileMode> store_file_modes(const std::string& database);
// Warns of files that other users can read, write or lock, and of a folder in which they can create or
// replace files. Pure.
[[nodiscard]] Finding files_finding(const std::vector<FileMode>& files);

}  // namespace pawl::cli
