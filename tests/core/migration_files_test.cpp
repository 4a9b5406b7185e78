// Migration files that were released never change: a database stores the checksum of each migration that it
// has, and a server refuses a database whose checksums differ from its own files.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/sha256.hpp"
#include "tests/places/places.hpp"

namespace pawl::testing {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST(MigrationFiles, AreThoseOfTheirRelease) {
  std::vector<std::string> lines;
  for (const char* database : {"postgres", "sqlite"}) {
    const std::string folder = std::string{"src/store/"} + database + "/migrations";
    for (const auto& entry : std::filesystem::directory_iterator{source_dir() + "/" + folder})
      lines.push_back(folder + "/" + entry.path().filename().string() + " " +
                      core::sha256_hex(text_of(entry.path())) + "\n");
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line;
  EXPECT_EQ(text_of(source_dir() + "/tests/golden/migrations.txt"), all)
      << "restore a released migration; for a new one add its line (path, sha256sum)";
}

}  // namespace
}  // namespace pawl::testing
