#pragma once
// The resident memory of a process, as the operating system reports it.

#include <fstream>
#include <string>
#include <string_view>

namespace pawl::bench {

// In MiB. `process`: its id, or "self".
inline double resident(const std::string& process) {
  std::ifstream status{"/proc/" + process + "/status"};
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kName = "VmRSS:";
    if (line.starts_with(kName)) return std::stod(line.substr(kName.size())) / 1024;
  }
  return 0;
}

}  // namespace pawl::bench
