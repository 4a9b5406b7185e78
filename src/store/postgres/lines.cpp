#include <algorithm>

#include "store/codec.hpp"
#include "store/postgres/asides.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/task_rows.hpp"
#include "store/postgres/transaction.hpp"

namespace pawl::store::postgres {

namespace {

constexpr int kTriesMax = 10;

template <typename Lines, typename RefOf>
Params refs_of_lines(const Lines& lines, RefOf ref_of) {
  Params params;
  params.column(lines, [&](const auto& line) { return std::string_view{ref_of(line).ns}; });
  params.column(lines, [&](const auto& line) { return std::string_view{ref_of(line).queue}; });
  params.column(lines, [&](const auto& line) { return std::string_view{ref_of(line).key}; });
  return params;
}

const LineRef& itself(const LineRef& ref) { return ref; }
const LineRef& ref_of_write(const LineWrite& write) { return write.ref; }

}  // namespace

std::vector<Line> PostgresTransaction::lock_lines(std::span<const LineRef> refs) {
  std::vector<Line> lines(refs.size());
  if (refs.empty()) return lines;
  int tries = 0;
  while (!try_lock_lines(refs, lines)) {
    if (++tries == kTriesMax)
      throw StoreError{StoreError::Kind::retry,
                       "a key line was created and deleted while it was being locked"};
  }
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (!lines[i].head) lines_without_head_.push_back(refs[i]);
  }
  return lines;
}

// False if an existing line was deleted between the creation of missing lines and the locking.
bool PostgresTransaction::try_lock_lines(std::span<const LineRef> refs, std::vector<Line>& lines) {
  const Params params = refs_of_lines(refs, itself);
  connection_->send(sql::create_line, params);
  connection_->send(sql::find_line, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.back();
  for (int row = 0; row < rows.count(); ++row) {
    lines[static_cast<std::size_t>(rows.int8(row, 0) - 1)] = {.head = rows.id_or_null(row, 1),
                                                              .tail = rows.int8(row, 2)};
  }
  return static_cast<std::size_t>(rows.count()) == refs.size();
}

std::vector<core::TaskRecord> PostgresTransaction::first_waiting(const LineRef& ref, std::size_t count) {
  Params params;
  params.value(ref.ns);
  params.value(ref.queue);
  params.value(ref.key);
  params.value(static_cast<std::int64_t>(count));
  connection_->send(sql::list_first_waiting, params);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  LaneFinder lane_of{shared_.lanes, *connection_};
  std::vector<core::TaskRecord> records;
  for (int row = 0; row < rows.count(); ++row) {
    core::TaskRecord record = read_record(rows, row, core::Place::waiting);
    record.lane = lane_of.find(rows.int4(row, kLaneColumn));
    if (record.lane == nullptr) continue;
    if (rows.is_null(row, kAfterRecord)) {
      note_unreadable("facts", record.facts);
      record.has_facts = true;
    } else {
      read_facts(rows, row, kAfterRecord, record);
    }
    records.push_back(std::move(record));
  }
  fill_in_asides(*connection_, records);
  return records;
}

void PostgresTransaction::send_lines(const std::vector<LineWrite>& lines) {
  std::vector<LineWrite> kept;
  std::vector<LineRef> written;
  std::vector<LineRef> gone;
  for (const LineWrite& write : lines) {
    written.push_back(write.ref);
    if (write.line.head) {
      kept.push_back(write);
    } else {
      gone.push_back(write.ref);
    }
  }
  std::sort(written.begin(), written.end());
  for (const LineRef& ref : lines_without_head_) {  // created only to be locked, and still empty
    if (!std::binary_search(written.begin(), written.end(), ref)) gone.push_back(ref);
  }
  if (!gone.empty()) connection_->send(sql::delete_line, refs_of_lines(gone, itself));
  if (kept.empty()) return;
  Params params = refs_of_lines(kept, ref_of_write);
  params.column(kept, [](const LineWrite& write) { return write.line.head; });
  params.column(kept, [](const LineWrite& write) { return write.line.tail; });
  connection_->send(sql::put_line, params);
}

}  // namespace pawl::store::postgres
