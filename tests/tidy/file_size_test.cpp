// No file is over 600 lines: a longer one does more than one thing. (clang-tidy checks the size of
// functions.)
#include <gtest/gtest.h>

#include "tests/tidy/source_tree.hpp"

namespace pawl::tidy {
namespace {

constexpr std::size_t kLinesMax = 600;

Complaints check(const SourceFile& file) {
  if (file.lines.size() <= kLinesMax) return {};
  return {file.path + " has " + std::to_string(file.lines.size()) + " lines: split it by noun"};
}

TEST(FileSize, IsAtMost600Lines) {
  Complaints complaints;
  for (const auto& file : files_under({"."}, {".cpp", ".hpp", ".sql", ".sh", ".cmake", "CMakeLists.txt"})) {
    for (auto& complaint : check(file)) complaints.push_back(std::move(complaint));
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(FileSize, CheckDetectsALongFile) {
  SourceFile file{.path = "a.cpp", .lines = std::vector<std::string>(kLinesMax)};
  EXPECT_EQ(check(file), Complaints{});
  file.lines.emplace_back();
  EXPECT_EQ(check(file), Complaints{"a.cpp has 601 lines: split it by noun"});
}

}  // namespace
}  // namespace pawl::tidy
