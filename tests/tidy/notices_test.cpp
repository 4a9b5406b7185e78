// The third-party notices name every library and package that the binary and the dashboard contain.
#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/tidy/source_tree.hpp"

namespace pawl::tidy {
namespace {

using Names = std::vector<std::string>;

SourceFile file_at(std::string_view path) {
  const std::ifstream file{root() / path};
  std::ostringstream text;
  text << file.rdbuf();
  return file_of(std::string{path}, text.str());
}

// The packages in the first column of the table below a heading, without the text in brackets.
Names packages_of(const SourceFile& file, std::string_view heading) {
  static const std::regex name_pattern("`([^`]+)`");
  Names names;
  bool is_inside = false;
  for (const std::string& line : file.lines) {
    if (line.starts_with("## ")) is_inside = line == heading;
    if (!is_inside || !line.starts_with("| `")) continue;
    const std::string cell = line.substr(1, line.find('|', 1) - 1);
    for (std::sregex_iterator it(cell.begin(), cell.end(), name_pattern), end; it != end; ++it)
      names.push_back((*it)[1]);
  }
  return names;
}

// "name version" of each package shipped in the dashboard: without build-time packages and types.
Names packages_of_lock(const SourceFile& lock) {
  static const std::regex entry_pattern(R"re(^    "node_modules/(.+)": \{$)re");
  static const std::regex version_pattern(R"re(^      "version": "(.+)",$)re");
  Names names;
  std::smatch match;
  std::string name;
  std::string version;
  bool is_shipped = false;
  for (const std::string& line : lock.lines) {
    if (std::regex_match(line, match, entry_pattern)) {
      name = match[1];
      is_shipped = !name.starts_with("@types/") && name != "csstype";
    }
    if (std::regex_match(line, match, version_pattern)) version = match[1];
    if (line == R"(      "dev": true,)") is_shipped = false;
    if (line.starts_with("    }") && !name.empty()) {
      if (is_shipped) names.push_back(name + " " + version);
      name.clear();
    }
  }
  return names;
}

// The number of copyright lines in each package's section.
std::map<std::string, int> noticed(const SourceFile& notices) {
  std::map<std::string, int> sections;
  std::string section;
  for (const std::string& line : notices.lines) {
    if (line.starts_with("## ")) section.clear();
    if (line.starts_with("### ")) sections[section = line.substr(4)] = 0;
    if (line.starts_with("- ") && !section.empty()) ++sections[section];
  }
  return sections;
}

bool has_notice(const std::map<std::string, int>& sections, const std::string& package) {
  const auto found = sections.find(package);
  return found != sections.end() && found->second > 0;
}

TEST(Notices, NameAllLibrariesInTheBinary) {
  const auto packages = packages_of(file_at("docs/dependencies.md"), "## In the binary");
  ASSERT_GE(packages.size(), 10U);
  const auto sections = noticed(file_at("THIRD_PARTY_NOTICES.md"));
  Complaints complaints;
  for (const std::string& package : packages) {
    if (!has_notice(sections, package))
      complaints.push_back("THIRD_PARTY_NOTICES.md has no notice of " + package);
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(Notices, NameAllPackagesInTheDashboardWithTheirVersions) {
  const auto packages = packages_of_lock(file_at("ui/package-lock.json"));
  ASSERT_GE(packages.size(), 15U);
  const auto sections = noticed(file_at("THIRD_PARTY_NOTICES.md"));
  Complaints complaints;
  for (const std::string& package : packages) {
    if (!has_notice(sections, package))
      complaints.push_back("THIRD_PARTY_NOTICES.md has no notice of " + package);
  }
  EXPECT_EQ(complaints, Complaints{});
}

TEST(Notices, HaveTheTextOfEachNamedLicense) {
  const auto notices = file_at("THIRD_PARTY_NOTICES.md");
  const auto sections = noticed(notices);
  for (const char* licence : {"MIT", "ISC", "BSD-2-Clause", "BSL-1.0", "PostgreSQL", "zlib", "Apache-2.0"})
    EXPECT_TRUE(sections.contains(licence)) << licence;
}

TEST(Notices, CheckDetectsAMissingPackage) {
  const auto lock = file_of("lock",
                            "    \"node_modules/a\": {\n      \"version\": \"1.2\",\n    },\n"
                            "    \"node_modules/b\": {\n      \"version\": \"3\",\n"
                            "      \"dev\": true,\n    },\n");
  EXPECT_EQ(packages_of_lock(lock), Names{"a 1.2"});
  const auto table =
      file_of("d.md", "## One\n| package |\n|---|\n| `a` (A), `b` | `c` |\n## Two\n| `d` | 1 |\n");
  EXPECT_EQ(packages_of(table, "## One"), (Names{"a", "b"}));
  const auto sections = noticed(file_of("n.md", "### a 1.2\n- Copyright A\n### b\nnothing\n"));
  EXPECT_TRUE(has_notice(sections, "a 1.2"));
  EXPECT_FALSE(has_notice(sections, "b"));
  EXPECT_FALSE(has_notice(sections, "a"));
}

}  // namespace
}  // namespace pawl::tidy
