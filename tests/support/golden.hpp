#pragma once
// Files generated from the program's own tables, for documentation and review. `./dev docs` rewrites them.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "tests/places/places.hpp"

namespace pawl::testing {

// `path` is relative to the root of the repository.
inline void expect_golden(const std::string& path, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path{source_dir()} / path;
  if (std::getenv("PAWL_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file} << text;
  }
  std::ifstream there{file};
  const std::string golden{std::istreambuf_iterator<char>{there}, {}};
  EXPECT_TRUE(text == golden) << path << " is out of date; if the change is meant: ./dev docs";
}

}  // namespace pawl::testing
