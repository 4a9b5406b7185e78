#include "store/sqlite/verify.hpp"

#include "store/sqlite/sql.hpp"
#include "store/table_checks.hpp"

namespace pawl::store::sqlite {

namespace {

constexpr std::array kQueries{sql::check_places,   sql::check_lanes,  sql::check_keys,      sql::check_lines,
                              sql::check_counts,   sql::check_asides, sql::check_histories, sql::check_runs,
                              sql::check_run_keys, sql::check_records};
static_assert(kQueries.size() == kTableChecks.size());

// The query yields one row with ok, or one row per fault.
core::Verdict check_file(Connection& connection) {
  core::Verdict verdict{.id = std::string{kFileCheck}};
  Rows sizes = connection.statement(sql::find_sizes).rows();
  if (sizes.next()) {
    (void)sizes.int64();
    verdict.examined = sizes.int64();  // pages
  }
  Rows row = connection.statement(sql::check_file).rows();
  while (row.next()) {
    std::string fault = row.string();
    if (fault != "ok") verdict.violations.push_back({.object = "the file", .message = std::move(fault)});
  }
  return verdict;
}

std::vector<core::Violation> violations_of(Connection& connection, std::string_view query) {
  std::vector<core::Violation> violations;
  Rows row = connection.statement(query).rows();
  while (row.next()) {
    const std::string id = row.id_text();
    const std::string name = row.string();
    violations.push_back({.object = id.empty() ? name : id, .message = name + ": " + row.string()});
  }
  return violations;
}

}  // namespace

RowCounts count_rows(Connection& connection, const core::Uuid& before) {
  Rows row = connection.statement(sql::count_rows).rows(before, before);
  if (!row.next()) return {};
  const std::int64_t tasks = row.int64();
  return {.tasks = tasks, .runs = row.int64()};
}

std::vector<core::Verdict> check_tables(Connection& connection) {
  std::vector<core::Verdict> verdicts{check_file(connection)};
  if (!verdicts.front().violations.empty()) return verdicts;
  Rows counts = connection.statement(sql::count_checked_rows).rows();
  const bool has_counts = counts.next();
  for (std::size_t i = 0; i < kQueries.size(); ++i) {
    verdicts.push_back({.id = std::string{kTableChecks.at(i)},
                        .examined = has_counts ? counts.int64() : 0,
                        .violations = violations_of(connection, kQueries.at(i))});
  }
  return verdicts;
}

}  // namespace pawl::store::sqlite
