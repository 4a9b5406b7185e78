// Links and paths in the documents point at existing files.
#include <algorithm>
#include <regex>

#include <gtest/gtest.h>

#include "tests/tidy/source_tree.hpp"

namespace pawl::tidy {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

// The targets of [text](target) that are files of the repository, without their #anchor.
std::vector<std::string> relative_links(const std::string& line) {
  static const std::regex link_pattern(R"(\]\(([^)\s]+)\))");
  static const std::regex elsewhere("^([a-z]+:|#).*");
  std::vector<std::string> links;
  for (const auto& target : all_matches(line, link_pattern)) {
    if (!std::regex_match(target, elsewhere)) links.push_back(target.substr(0, target.find('#')));
  }
  return links;
}

Complaints broken_links(const SourceFile& file) {
  Complaints complaints;
  bool in_code = false;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (trimmed(file.lines[i]).starts_with("```")) in_code = !in_code;
    if (in_code) continue;
    for (const auto& link : relative_links(file.lines[i])) {
      const auto target = (root() / file.path).parent_path() / link;
      if (!fs::exists(target)) complaints.push_back(at(file, i) + "the link to " + link + " is broken");
    }
  }
  return complaints;
}

// The paths under src/ that a line names. For a path with a placeholder (src/store/<db>/…), the part before
// it.
std::vector<std::string> paths_named(const std::string& line) {
  static const std::regex path_pattern(R"((?:^|[^A-Za-z0-9_./-])(src/[A-Za-z0-9_./*-]*[<{]?))");
  auto paths = all_matches(line, path_pattern);
  for (auto& path : paths) {
    if (path.back() == '<' || path.back() == '{') path.erase(path.rfind('/') + 1);
    while (path.back() == '.' || path.back() == '-') path.pop_back();
  }
  return paths;
}

// A '*' matches any part of the last path component.
bool exists(const std::string& path) {
  if (path.find('*') == std::string::npos) return fs::exists(root() / path);
  const fs::path pattern = root() / path;
  const std::string name = pattern.filename().string();
  const auto star = name.find('*');
  const std::string first = name.substr(0, star);
  const std::string last = star == std::string::npos ? "" : name.substr(star + 1);
  if (!fs::exists(pattern.parent_path())) return false;
  const fs::directory_iterator entries(pattern.parent_path());
  return std::any_of(begin(entries), end(entries), [&](const fs::directory_entry& entry) {
    const std::string found = entry.path().filename().string();
    return found.starts_with(first) && found.ends_with(last);
  });
}

TEST(Docs, HaveNoBrokenLinks) {
  Complaints complaints;
  for (const auto& file : files_under({"."}, {".md"})) {
    for (auto& complaint : broken_links(file)) complaints.push_back(std::move(complaint));
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(Docs, ArchitectureNamesPathsThatExist) {
  auto files = files_under({"."}, {"ARCHITECTURE.md"});
  ASSERT_EQ(files.size(), 1U);
  Complaints complaints;
  for (std::size_t i = 0; i < files[0].lines.size(); ++i) {
    for (const auto& path : paths_named(files[0].lines[i])) {
      if (!exists(path)) complaints.push_back(at(files[0], i) + path + " does not exist");
    }
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(Docs, CheckDetectsABrokenLink) {
  const auto file = file_of("README.md",
                            "[a](LICENSE), [b](https://x.org/y), [c](#here)\n[d](no/such.md#part)\n"
                            "```\n[e](not/a/link)\n```\n");
  EXPECT_EQ(broken_links(file), Complaints{"README.md:2: the link to no/such.md is broken"});
}

TEST(Docs, CheckFindsPathsInProse) {
  EXPECT_EQ(paths_named("See `src/core/api/api.hpp`, src/store/<db>/sql and src/core/*_machine.cpp."),
            (std::vector<std::string>{"src/core/api/api.hpp", "src/store/", "src/core/*_machine.cpp"}));
  EXPECT_TRUE(exists("src/store/migration*.hpp"));
  EXPECT_FALSE(exists("src/store/no_such*.hpp"));
}

}  // namespace
}  // namespace pawl::tidy
