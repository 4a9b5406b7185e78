#include "worker/process_group.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace pawl::worker {

namespace {

// Parses /proc/N/stat: "N (name) state parent group …", where the name may contain any character.
bool is_living_member(const std::string& stat, pid_t group) {
  const auto end_of_name = stat.rfind(')');
  if (end_of_name == std::string::npos) return false;  // the process is gone
  std::istringstream rest{stat.substr(end_of_name + 1)};
  char state = 0;
  pid_t parent = 0;
  pid_t its_group = 0;
  rest >> state >> parent >> its_group;
  return its_group == group && state != 'Z' && state != 'X';
}

}  // namespace

bool has_living_process(pid_t group) {
  std::error_code error;
  std::filesystem::directory_iterator entry{"/proc", error};
  for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file{entry->path() / "stat"};
    if (is_living_member({std::istreambuf_iterator<char>{file}, {}}, group)) return true;
  }
  return static_cast<bool>(error);
}

}  // namespace pawl::worker
