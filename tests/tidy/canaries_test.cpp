// The table of docs/canaries.md matches core/base/canary.hpp, every canary is planted, and the tests named
// there exist.
#include <map>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "tests/tidy/source_tree.hpp"

namespace pawl::tidy {
namespace {

struct Row {
  std::string suite;
  std::string tests;
};

std::set<std::string> matches_in(const std::vector<SourceFile>& files, const std::regex& pattern) {
  std::set<std::string> found;
  for (const SourceFile& file : files) {
    std::string text;
    for (const std::string& line : file.lines) text += line + '\n';
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
      found.insert(it->size() > 2 ? it->str(1) + '.' + it->str(2) : it->str(1));
  }
  return found;
}

std::map<std::string, Row> listed() {
  static const std::regex row(R"(^\| `(\w+)` \| [^|]+ \| (\w+) \| (?:`([^`]+)`)? ?\|$)");
  std::map<std::string, Row> rows;
  for (const SourceFile& file : files_under({"docs"}, {"canaries.md"})) {
    for (const std::string& line : file.lines) {
      std::smatch match;
      if (std::regex_match(line, match, row)) rows[match[1]] = {.suite = match[2], .tests = match[3]};
    }
  }
  return rows;
}

std::set<std::string> names_of(const std::map<std::string, Row>& rows) {
  std::set<std::string> names;
  for (const auto& [name, row] : rows) names.insert(name);
  return names;
}

// A filter names one test, or with a final '*' all tests with that prefix; "*Suite.Test/*" names it on each
// store.
bool exists(std::string tests, const std::set<std::string>& all) {
  if (tests.starts_with('*')) tests.erase(0, 1);
  tests.erase(std::min(tests.find('/'), tests.size()));
  if (!tests.ends_with('*')) return all.contains(tests);
  tests.pop_back();
  const auto first = all.lower_bound(tests);
  return first != all.end() && first->starts_with(tests);
}

TEST(Canaries, AreAllDocumented) {
  auto declared = matches_in(files_under({"src/core"}, {"canary.hpp"}),
                             std::regex(R"(^ +X\((\w+)\))", std::regex::multiline));
  declared.erase("none");
  EXPECT_GE(declared.size(), 60U);
  EXPECT_EQ(names_of(listed()), declared);
}

TEST(Canaries, AreAllPlanted) {
  EXPECT_EQ(matches_in(files_under({"src"}, {".cpp", ".hpp"}), std::regex(R"(\bCanary::(\w+))")), [] {
    auto names = names_of(listed());
    names.insert("none");
    return names;
  }());
}

TEST(Canaries, NameTestsThatExist) {
  Complaints complaints;
  const std::regex test(R"(^TEST(?:_F|_P)?\((\w+),\s*(\w+)\))", std::regex::multiline);
  std::map<std::string, std::set<std::string>> tests;
  for (const auto& [name, row] : listed()) {
    if (row.suite == "sim") continue;
    const auto [known, is_new] = tests.try_emplace(row.suite);
    if (is_new) known->second = matches_in(files_under({"tests/" + row.suite}, {".cpp"}), test);
    if (!exists(row.tests, known->second))
      complaints.push_back(name + ": no test of " + row.suite + " is " + row.tests);
  }
  EXPECT_EQ(complaints, Complaints{});
}

}  // namespace
}  // namespace pawl::tidy
