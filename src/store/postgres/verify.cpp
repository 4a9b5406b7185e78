// The checks of `pawl verify` that run in the database; see table_checks.hpp.

#include "core/base/ids.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"
#include "store/table_checks.hpp"

namespace pawl::store::postgres {

namespace {

constexpr std::array kQueries{sql::check_places,   sql::check_lanes,  sql::check_keys,      sql::check_lines,
                              sql::check_counts,   sql::check_asides, sql::check_histories, sql::check_runs,
                              sql::check_run_keys, sql::check_records};
static_assert(kQueries.size() == kTableChecks.size());

// Each check reads whole tables.
constexpr core::Duration kCheckMax = std::chrono::minutes{30};

std::vector<core::Violation> read_violations(const Rows& rows) {
  std::vector<core::Violation> violations;
  for (int row = 0; row < rows.count(); ++row) {
    const std::string name{rows.text(row, 1)};
    violations.push_back({.object = rows.is_null(row, 0) ? name : core::to_string(rows.id(row, 0)),
                          .message = name + ": " + std::string{rows.text(row, 2)}});
  }
  return violations;
}

}  // namespace

RowCounts PostgresStore::count_rows(const core::Uuid& before) {
  const Pool::Loan connection = readers_.borrow();
  const auto answers = read_slowly(*connection, [&](Connection& used) {
    Params params;
    params.value(before);
    used.send(sql::count_rows, params);
  });
  read_lanes(*connection);
  const Rows& counts = answers.front();
  return {.tasks = counts.int8(0, 0), .runs = counts.int8(0, 1)};
}

std::vector<core::Verdict> PostgresStore::check_tables() {
  const Pool::Loan connection = readers_.borrow();
  const auto answers = read_slowly(*connection, [](Connection& used) {
    used.send(sql::count_checked_rows);
    for (const std::string_view query : kQueries) used.send(query);
  });
  std::vector<core::Verdict> verdicts;
  for (std::size_t i = 0; i < kTableChecks.size(); ++i) {
    verdicts.push_back({.id = std::string{kTableChecks.at(i)},
                        .examined = answers[0].int8(0, static_cast<int>(i)),
                        .violations = read_violations(answers[i + 1])});
  }
  return verdicts;
}

// On one snapshot, with the planner's own plans and enough time for whole tables.
std::vector<Rows> PostgresStore::read_slowly(Connection& connection, const Ask& ask) {
  connection.connect_or_throw();
  connection.send(sql::begin_read);
  ask(connection);
  connection.send(sql::commit);
  std::vector<Rows> answers;
  if (const auto failure = connection.run(answers, kCheckMax)) {
    if (!failure->is_lost) connection.roll_back();
    failure->raise();
  }
  answers.erase(answers.begin());
  answers.pop_back();
  return answers;
}

}  // namespace pawl::store::postgres
