#include "store/sqlite/lines.hpp"

#include "store/sqlite/sql.hpp"
#include "store/sqlite/task_load.hpp"
#include "store/sqlite/task_rows.hpp"
#include "store/sqlite/transaction.hpp"

namespace pawl::store::sqlite {

namespace {

void write_line(Connection& connection, const LineWrite& write) {
  const LineRef& ref = write.ref;
  if (write.line.head) {
    connection.statement(sql::put_line).run(ref.ns, ref.queue, ref.key, *write.line.head, write.line.tail);
  } else {
    connection.statement(sql::delete_line).run(ref.ns, ref.queue, ref.key);
  }
}

}  // namespace

std::vector<Line> SqliteTransaction::lock_lines(std::span<const LineRef> refs) {
  std::vector<Line> lines;
  for (const LineRef& ref : refs) {
    Line& line = lines.emplace_back();
    Rows row = connection_.statement(sql::find_line).rows(ref.ns, ref.queue, ref.key);
    if (!row.next()) continue;
    line.head = row.task_id();
    line.tail = row.int64();
  }
  return lines;
}

std::vector<core::TaskRecord> SqliteTransaction::first_waiting(const LineRef& ref, std::size_t count) {
  std::vector<core::TaskRecord> records;
  Rows row = connection_.statement(sql::list_first_waiting).rows(ref.ns, ref.queue, ref.key, count);
  while (row.next()) {
    core::TaskRecord record;
    record.id = row.task_id();
    if (!read_standing(row, lanes_, record)) continue;
    record.place = core::Place::waiting;
    record.status = core::TaskStatus::blocked;
    records.push_back(std::move(record));
  }
  TaskLoader loader{connection_, lanes_};
  for (core::TaskRecord& record : records) loader.load_facts(record);
  return records;
}

void write_lines(Connection& connection, const std::vector<LineWrite>& writes) {
  for (const LineWrite& write : writes) write_line(connection, write);
}

}  // namespace pawl::store::sqlite
