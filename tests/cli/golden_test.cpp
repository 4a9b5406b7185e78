// docs/reference is what the program's own tables say. `./dev docs` rewrites it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/cli/reference.hpp"

namespace pawl::testing {
namespace {

void expect_page(const std::string& name, const std::string& made) {
  const std::string path = PAWL_SOURCE_DIR "/docs/reference/" + name;
  if (std::getenv("PAWL_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
    std::ofstream{path} << made;
  }
  std::ifstream file{path};
  const std::string there{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_TRUE(there == made) << "docs/reference/" << name
                             << " is out of date; if the change is meant: ./dev docs";
}

TEST(Reference, OfTheCommandLineIsUpToDate) { expect_page("command-line.md", command_line_reference()); }

TEST(Reference, OfHttpIsUpToDate) { expect_page("http.md", http_reference()); }

}  // namespace
}  // namespace pawl::testing
