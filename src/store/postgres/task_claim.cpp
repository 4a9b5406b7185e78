#include <algorithm>
#include <unordered_map>

#include "store/codec.hpp"
#include "store/postgres/asides.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/task_rows.hpp"
#include "store/postgres/transaction.hpp"

namespace pawl::store::postgres {

// Rank by rank: the first one fills most claims, and the others are not read.
std::vector<core::TaskRecord> PostgresTransaction::take_ready(std::span<const LaneShare> lanes,
                                                              std::size_t max) {
  std::vector<Source> sources;
  for (const LaneShare& share : lanes) {
    const ReadyMarks::Start start = shared_.marks_of(*share.lane).start(share.lane->id);
    if (!start.is_empty && share.max > 0) sources.push_back({.share = share, .start = start});
  }
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) {
    const std::int64_t rank = core::claim_rank(*a.share.lane);
    const std::int64_t other = core::claim_rank(*b.share.lane);
    return rank != other ? rank > other : a.share.lane->id < b.share.lane->id;
  });
  std::vector<core::TaskRecord> records;
  for (auto first = sources.begin(); first != sources.end() && records.size() < max;) {
    const auto last = std::find_if(first, sources.end(), [&](const Source& source) {
      return core::claim_rank(*source.share.lane) != core::claim_rank(*first->share.lane);
    });
    auto taken = take_from({first, last}, max - records.size());
    std::move(taken.begin(), taken.end(), std::back_inserter(records));
    first = last;
  }
  return records;
}

// Takes from lanes of one priority, in time order over all of them; from fair lanes, each lane's share.
std::vector<core::TaskRecord> PostgresTransaction::take_from(std::span<Source> sources, std::size_t max) {
  if (sources.front().share.lane->is_ranked()) {
    ask_for_ranks(sources, max);
  } else if (sources.front().share.lane->fair) {
    ask_for_turns(sources);
  } else {
    ask_for_ready(sources, max);
  }
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  LaneFinder lane_of{shared_.lanes, *connection_};
  std::vector<core::TaskRecord> records;
  records.reserve(static_cast<std::size_t>(rows.count()));
  for (int row = 0; row < rows.count(); ++row) {
    core::TaskRecord& record = records.emplace_back(read_record(rows, row, core::Place::nowhere));
    record.lane = lane_of(rows.int4(row, kLaneColumn));
    if (record.lane->fair) record.turn = rows.int8(row, kAfterRecord);
  }
  std::sort(records.begin(), records.end(), core::stands_before);
  note_taken(sources, records, max);
  fill_in_facts(records);
  return records;
}

void PostgresTransaction::fill_in_facts(std::vector<core::TaskRecord>& records) {
  shared_.facts.recall(records);
  std::unordered_map<core::TaskId, core::TaskRecord*> missing;
  Params params;
  std::vector<core::TaskId> ids;
  for (core::TaskRecord& record : records) {
    if (record.has_facts) continue;
    missing.emplace(record.id, &record);
    ids.push_back(record.id);
  }
  if (ids.empty()) return fill_in_asides(*connection_, records);
  params.column(ids, [](const core::TaskId& id) { return id; });
  connection_->send(sql::find_task_facts, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row) read_facts(rows, row, 1, *missing.at(rows.id(row, 0)));
  for (const auto& [id, record] : missing) {
    if (record->has_facts) continue;
    note_unreadable("facts", record->facts);
    record->has_facts = true;
  }
  fill_in_asides(*connection_, records);
}

void PostgresTransaction::ask_for_turns(std::span<const Source> sources) {
  Params params;
  if (sources.size() == 1) {
    const Source& source = sources.front();
    params.value(source.share.lane->id);
    params.value(core::micros(source.start.from.available_at));
    params.value(source.start.from.id);
    params.value(source.share.max);
    connection_->send(sql::take_fair_ready, params);
    return;
  }
  params.column(sources, [](const Source& source) { return source.share.lane->id; });
  params.column(sources, [](const Source& source) { return core::micros(source.start.from.available_at); });
  params.column(sources, [](const Source& source) { return source.start.from.id; });
  params.column(sources, [](const Source& source) { return source.share.max; });
  connection_->send(sql::take_fair_ready_of_lanes, params);
}

// Reads each lane from its start, not from its mark: a task that is added later may precede all existing
// ones.
void PostgresTransaction::ask_for_ranks(std::span<const Source> sources, std::size_t max) {
  const auto most = static_cast<std::int64_t>(max);
  Params params;
  params.column(sources, [](const Source& source) { return source.share.lane->id; });
  params.column(sources, [&](const Source& source) { return std::min(source.share.max, most); });
  params.value(most);
  connection_->send(sql::take_ranked_ready, params);
}

void PostgresTransaction::ask_for_ready(std::span<const Source> sources, std::size_t max) {
  Params params;
  const auto most = static_cast<std::int64_t>(max);
  if (sources.size() == 1) {
    const Source& source = sources.front();
    params.value(source.share.lane->id);
    params.value(source.start.from.available_at);
    params.value(source.start.from.id);
    params.value(std::min(source.share.max, most));
    connection_->send(sql::take_ready, params);
    return;
  }
  params.column(sources, [](const Source& source) { return source.share.lane->id; });
  params.column(sources, [](const Source& source) { return source.start.from.available_at; });
  params.column(sources, [](const Source& source) { return source.start.from.id; });
  params.column(sources, [&](const Source& source) { return std::min(source.share.max, most); });
  params.value(most);
  connection_->send(sql::take_ready_of_lanes, params);
}

void PostgresTransaction::note_taken(std::span<Source> sources, const std::vector<core::TaskRecord>& records,
                                     std::size_t max) {
  if (!is_current()) return;
  for (Source& source : sources) {
    const core::Lane& lane = *source.share.lane;
    ReadyMarks& marks = shared_.marks_of(lane);
    const core::TaskRecord* last = nullptr;
    for (const core::TaskRecord& record : records) {
      if (record.lane->id != lane.id) continue;
      const Position position{.available_at = core::lane_time(record), .id = record.id};
      if (last == nullptr) taken_.push_back({.lane = &lane, .first = position});
      last = &record;
      ++source.taken;
    }
    if (last != nullptr && !lane.is_ranked())
      marks.advance(lane.id, source.start, {.available_at = core::lane_time(*last), .id = last->id});
    const bool is_exhausted = source.taken < source.share.max && records.size() < max;
    if (is_exhausted) marks.note_empty(lane.id, source.start);
  }
}

}  // namespace pawl::store::postgres
