#include <algorithm>

#include "store/postgres/monotonic.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"

namespace pawl::store::postgres {

namespace {

using std::chrono::seconds;

constexpr std::int64_t kDeadRowsMin = 5'000;  // fewer are not worth a vacuum
constexpr core::Duration kVacuumEvery = seconds{1};
constexpr core::Duration kVacuumMax = std::chrono::minutes{10};  // the server is silent until it is done
constexpr core::Duration kFullLookEvery = seconds{2};
// Each takes at most one part in this many of the time: while a snapshot stays open the tables only grow, and
// a full read every second would free nothing and only cost processor time.
constexpr int kVacuumShare = 50;
constexpr int kFullLookShare = 50;

}  // namespace

void PostgresStore::maintain() {
  const std::lock_guard lock{maintenance_};
  const Pool::Loan connection = keepers_.borrow();
  connection->connect_or_throw();
  fold_counts(*connection);
  vacuum(*connection);
  look_from_the_start(*connection);
}

void PostgresStore::fold_counts(Connection& connection) {
  if (shared_.counts_written.exchange(0) == 0) return;
  const auto answers = run(connection, [this](Connection& used) {
    Params from;
    from.value(shared_.counts_mark.value());
    used.send(sql::begin_write);
    used.send(sql::pin_plans);
    used.send(sql::fold_lane_counts, from);
    used.send(sql::commit);
    // Not on one snapshot: the second query must begin after the first, as CountsMark requires.
    used.send(sql::begin_write);
    used.send(sql::pin_plans);
    used.send(sql::find_last_lane_count);
    used.send(sql::find_first_lane_count, from);
    used.send(sql::commit);
  });
  const Rows& first = answers[7];
  shared_.counts_mark.update({.last = answers[6].int8(0, 0),
                              .oldest_transaction = first.int8(0, 0),
                              .next_transaction = first.int8(0, 1),
                              .first = first.int8_or_null(0, 2)},
                             connection.life());
}

// A failure is ignored: autovacuum does the same later.
void PostgresStore::vacuum(Connection& connection) {
  const core::MonotonicTime began_at = monotonic_now();
  if (began_at < next_vacuum_at_ || shared_.rows_left_dead < kDeadRowsMin) return;
  shared_.rows_left_dead = 0;
  if (!connection.is_connected()) return;
  (void)connection.run_script(std::string{sql::vacuum}, kVacuumMax);
  const core::MonotonicTime ended_at = monotonic_now();
  next_vacuum_at_ = ended_at + std::max<core::Duration>(kVacuumEvery, (ended_at - began_at) * kVacuumShare);
}

void PostgresStore::lower_to_heads(Connection& connection, std::string_view query, ReadyMarks& marks,
                                   core::TimePoint (*time_of)(const Rows& rows, int row)) {
  const auto lanes = marks.lanes();
  if (lanes.empty()) return;
  const auto answers = read(connection, [&](Connection& used) {
    Params params;
    params.column(lanes, [](std::int32_t lane) { return lane; });
    used.send(query, params);
  });
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row)
    marks.lower(rows.int4(row, 0), {.available_at = time_of(rows, row), .id = rows.id(row, 2)});
}

// Finds entries below a mark that the steps back missed: written by another node and committed late, or
// returned by a node that died.
void PostgresStore::look_from_the_start(Connection& connection) {
  const core::MonotonicTime began_at = monotonic_now();
  if (began_at < next_full_look_at_) return;
  lower_to_heads(connection, sql::list_ready_heads, shared_.ready_marks,
                 [](const Rows& rows, int row) { return rows.time(row, 1); });
  lower_to_heads(connection, sql::list_fair_heads, shared_.fair_marks,
                 [](const Rows& rows, int row) { return core::time_from_micros(rows.int8(row, 1)); });
  const core::MonotonicTime ended_at = monotonic_now();
  next_full_look_at_ =
      ended_at + std::max<core::Duration>(kFullLookEvery, (ended_at - began_at) * kFullLookShare);
}

}  // namespace pawl::store::postgres
