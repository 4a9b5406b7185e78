#include "store/postgres/asides.hpp"

#include <unordered_map>

#include "store/codec.hpp"
#include "store/postgres/run_rows.hpp"
#include "store/postgres/sql.hpp"

namespace pawl::store::postgres {

namespace {

using Missing = std::unordered_map<core::TaskId, core::TaskRecord*>;

Params ids_of(const Missing& missing) {
  Params params;
  params.column(missing, [](const auto& entry) { return entry.first; });
  return params;
}

void read_runs(const Rows& rows, const Missing& missing) {
  for (int row = 0; row < rows.count(); ++row) {
    missing.at(rows.id(row, 0))->facts.run = core::TaskRun{.run_id = read_run_id(rows, row, 1),
                                                           .node = read_key(rows, row, 2),
                                                           .node_id = std::string{rows.text(row, 4)},
                                                           .traceparent = std::string{rows.text(row, 5)}};
  }
}

void read_fairness(const Rows& rows, const Missing& missing) {
  for (int row = 0; row < rows.count(); ++row) {
    missing.at(rows.id(row, 0))->facts.fairness =
        core::Fairness{.key = std::string{rows.text(row, 1)}, .weight = rows.float8(row, 2)};
  }
}

void note_missing(const Missing& without_run, const Missing& without_fairness) {
  for (const auto& [id, record] : without_run) {
    if (!record->facts.run) note_unreadable("run", record->facts);
  }
  for (const auto& [id, record] : without_fairness) {
    if (record->facts.fairness) continue;
    note_unreadable("fairness", record->facts);
    record->facts.fairness.emplace();
  }
}

}  // namespace

void fill_in_asides(Connection& connection, std::span<core::TaskRecord* const> records) {
  Missing without_run;
  Missing without_fairness;
  for (core::TaskRecord* record : records) {
    if (record->lane->of_runs && !record->facts.run) without_run.emplace(record->id, record);
    if (record->lane->fair && !record->facts.fairness) without_fairness.emplace(record->id, record);
  }
  if (without_run.empty() && without_fairness.empty()) return;
  if (!without_run.empty()) connection.send(sql::find_run_task, ids_of(without_run));
  if (!without_fairness.empty()) connection.send(sql::find_fair_task, ids_of(without_fairness));
  const auto answers = connection.run_or_throw();
  if (!without_run.empty()) read_runs(answers.front(), without_run);
  if (!without_fairness.empty()) read_fairness(answers.back(), without_fairness);
  note_missing(without_run, without_fairness);
}

void fill_in_asides(Connection& connection, std::vector<core::TaskRecord>& records) {
  std::vector<core::TaskRecord*> pointers;
  for (core::TaskRecord& record : records) pointers.push_back(&record);
  fill_in_asides(connection, pointers);
}

}  // namespace pawl::store::postgres
