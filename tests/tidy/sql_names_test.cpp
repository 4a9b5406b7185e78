// Each database has the same named queries, so that knowledge of one store applies to the other.
#include <map>

#include <gtest/gtest.h>

#include "tests/tidy/source_tree.hpp"

namespace pawl::tidy {
namespace {

constexpr std::string_view kNameMark = "-- name:";
// Marks a query that the other database does not need: "-- only: this database because …".
constexpr std::string_view kOnlyMark = "-- only: this database because ";

struct NamedQuery {
  std::string where;
  bool only_here = false;
};

using Queries = std::map<std::string, NamedQuery>;

Queries queries_in(const std::vector<SourceFile>& files) {
  Queries queries;
  for (const auto& file : files) {
    NamedQuery* current = nullptr;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const auto line = trimmed(file.lines[i]);
      if (line.starts_with(kNameMark)) {
        current = &queries[std::string(trimmed(line.substr(kNameMark.size())))];
        current->where = at(file, i);
      } else if (current != nullptr && line.starts_with(kOnlyMark)) {
        current->only_here = true;
      }
    }
  }
  return queries;
}

Complaints missing(const Queries& here, const Queries& there, const std::string& other_database) {
  Complaints complaints;
  for (const auto& [name, query] : here) {
    const bool both = there.contains(name);
    if (!both && !query.only_here)
      complaints.push_back(query.where + name + " is missing in " + other_database);
    if (both && query.only_here) complaints.push_back(query.where + name + " is also in " + other_database);
  }
  return complaints;
}

TEST(SqlNames, AreTheSameInBothDatabases) {
  const auto sqlite = queries_in(files_under({"src/store/sqlite/sql"}, {".sql"}));
  const auto postgres = queries_in(files_under({"src/store/postgres/sql"}, {".sql"}));
  EXPECT_EQ(missing(sqlite, postgres, "postgres"), Complaints{});
  EXPECT_EQ(missing(postgres, sqlite, "sqlite"), Complaints{});
}

TEST(SqlNames, CheckDetectsAMissingQueryWithoutAReason) {
  const auto here = queries_in({file_of("a.sql",
                                        "-- name: one\nSELECT 1;\n-- name: two\nSELECT 2;\n-- name: three\n"
                                        "-- only: this database because it has no arrays\nSELECT 3;\n")});
  const auto there = queries_in({file_of("b.sql", "-- name: one\nSELECT 1;\n")});
  EXPECT_EQ(missing(here, there, "b"), Complaints{"a.sql:3: two is missing in b"});
}

}  // namespace
}  // namespace pawl::tidy
