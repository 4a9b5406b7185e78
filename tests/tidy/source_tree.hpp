// The repository's own files for the tidy tests. Read once, never changed; not thread-safe.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::tidy {

struct SourceFile {
  std::string path;  // from the root of the repository, with '/'
  std::vector<std::string> lines;
};

// One sentence per problem; `EXPECT_EQ(complaints, Complaints{})` prints them.
using Complaints = std::vector<std::string>;

std::filesystem::path root();

// The files under `folders` (a folder "." means the whole repository) whose names end with one of `endings`,
// sorted by path.
std::vector<SourceFile> files_under(std::initializer_list<std::string_view> folders,
                                    std::initializer_list<std::string_view> endings);

SourceFile file_of(std::string path, std::string_view text);

// "src/core/task/task.hpp:12: "
std::string at(const SourceFile& file, std::size_t line_index);

std::string_view trimmed(std::string_view text);

// The line without its `//` comment and without the contents of string literals.
std::string code_of(std::string_view line);

}  // namespace pawl::tidy
