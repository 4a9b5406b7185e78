#pragma once
// The locations of third-party suites: the packages of package.json, which `./dev test` installs, and copies
// of their repositories, which environment variables name.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/places/places.hpp"

namespace pawl::testing {

inline std::filesystem::path package(const std::string& name) {
  return std::filesystem::path{source_dir()} / "tests/json_suites/node_modules" / name;
}

inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace pawl::testing
