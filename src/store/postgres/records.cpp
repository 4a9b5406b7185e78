#include "store/postgres/records.hpp"

#include <algorithm>
#include <limits>

#include "core/base/ensure.hpp"
#include "store/codec.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"
#include "store/postgres/transaction.hpp"

namespace pawl::store::postgres {

namespace {

using RecordWrites = std::vector<const RecordWrite*>;

// kind, namespace, key, version, body, expires_at, created_at, updated_at, from `column` on.
core::Record read_named(const Rows& rows, int row, int column) {
  const auto kind = core::record_kind_from(rows.text(row, column));
  PAWL_ENSURE(kind.has_value(), "a record is of a kind that this binary wrote");
  core::Record record;
  record.ref.kind = *kind;
  record.ref.ns = rows.text(row, column + 1);
  record.ref.key = rows.text(row, column + 2);
  record.version = rows.int8(row, column + 3);
  record.body.text = rows.text(row, column + 4);
  record.expires_at = rows.time_or_null(row, column + 5);
  record.created_at = rows.time(row, column + 6);
  record.updated_at = rows.time(row, column + 7);
  return record;
}

std::vector<core::Record> read_all(const Rows& rows, core::Record (*prepared)(core::Record)) {
  std::vector<core::Record> records;
  for (int row = 0; row < rows.count(); ++row) records.push_back(prepared(read_named(rows, row, 0)));
  return records;
}

Params refs_of(const RecordWrites& writes) {
  Params params;
  params.column(writes, [](const RecordWrite* write) { return core::to_string(write->ref.kind); });
  params.column(writes, [](const RecordWrite* write) { return std::string_view{write->ref.ns}; });
  params.column(writes, [](const RecordWrite* write) { return std::string_view{write->ref.key}; });
  return params;
}

Params params_of(const core::RecordRef& ref) {
  Params params;
  params.value(core::to_string(ref.kind));
  params.value(ref.ns);
  params.value(ref.key);
  return params;
}

void add_values(Params& params, const RecordWrites& writes) {
  params.column(writes, [](const RecordWrite* write) { return write->record->version; });
  params.column(writes, [](const RecordWrite* write) { return std::string_view{write->record->body.text}; });
  params.column(writes, [](const RecordWrite* write) { return write->record->expires_at; });
  params.column(writes, [](const RecordWrite* write) { return write->record->created_at; });
  params.column(writes, [](const RecordWrite* write) { return write->record->updated_at; });
}

void add_guards(Params& params, const RecordWrites& writes) {
  params.column(writes, [](const RecordWrite* write) { return write->version_before; });
  params.value(static_cast<std::int64_t>(writes.size()));
}

std::vector<core::AuditEntry> read_audit(const Rows& rows) {
  const auto text = [&rows](int row, int column) { return std::string{rows.text(row, column)}; };
  std::vector<core::AuditEntry> entries;
  for (int row = 0; row < rows.count(); ++row) {
    entries.push_back({.sequence = rows.int8(row, 0),
                       .at = rows.time(row, 1),
                       .ns = text(row, 2),
                       .actor = text(row, 3),
                       .role = text(row, 4),
                       .action = text(row, 5),
                       .object = text(row, 6),
                       .request_id = text(row, 7),
                       .outcome = text(row, 8),
                       .detail = {text(row, 9)},
                       .hash = text(row, 10)});
  }
  return entries;
}

}  // namespace

void ask_for_record(Connection& connection, const core::RecordRef& ref) {
  connection.send(sql::find_record, params_of(ref));
}

std::optional<core::Record> read_first_record(const Rows& rows) {
  return rows.count() == 0 ? std::nullopt : std::optional{checked(read_named(rows, 0, 0))};
}

void PostgresTransaction::send_record_locks(std::span<const core::RecordRef> refs) {
  Params params;
  params.column(refs, [](const core::RecordRef& ref) { return core::to_string(ref.kind); });
  params.column(refs, [](const core::RecordRef& ref) { return std::string_view{ref.ns}; });
  params.column(refs, [](const core::RecordRef& ref) { return std::string_view{ref.key}; });
  connection_->send(sql::lock_record, params);
}

std::vector<std::optional<core::Record>> PostgresTransaction::lock_records(
    std::span<const core::RecordRef> refs) {
  std::vector<std::optional<core::Record>> found(refs.size());
  if (refs.empty()) return found;
  send_record_locks(refs);
  const auto answers = connection_->run_or_throw();
  const Rows& rows = answers.front();
  for (int row = 0; row < rows.count(); ++row)
    found[static_cast<std::size_t>(rows.int8(row, 0) - 1)] = checked(read_named(rows, row, 1));
  return found;
}

std::vector<std::optional<core::Record>> PostgresTransaction::read_records(
    std::span<const core::RecordRef> refs) {
  std::vector<std::optional<core::Record>> found;
  for (const core::RecordRef& ref : refs) {
    if (const auto known = records_.find(ref); known != records_.end()) {
      found.push_back(known->second);
    } else {
      ask_for_record(*connection_, ref);
      found.push_back(read_first_record(connection_->run_or_throw().front()));
    }
  }
  return found;
}

std::vector<std::int64_t> PostgresTransaction::read_last_checkpoints(std::span<const core::Uuid> owners) {
  std::vector<std::int64_t> last;
  if (owners.empty()) return last;
  Params params;
  params.column(owners, [](const core::Uuid& owner) { return owner; });
  connection_->send(sql::find_last_checkpoint, params);
  const auto answers = connection_->run_or_throw();
  for (int row = 0; row < answers.front().count(); ++row) last.push_back(answers.front().int8(row, 0));
  return last;
}

void PostgresTransaction::send_records(const std::vector<RecordWrite>& writes) {
  RecordWrites inserted;
  RecordWrites updated;
  RecordWrites deleted;
  for (const RecordWrite& write : writes) {
    RecordWrites& kind = !write.record ? deleted : write.version_before == 0 ? inserted : updated;
    kind.push_back(&write);
  }
  if (!deleted.empty()) {
    Params params = refs_of(deleted);
    add_guards(params, deleted);
    connection_->send(sql::delete_record, params);
  }
  if (!updated.empty()) {
    Params params = refs_of(updated);
    add_values(params, updated);
    add_guards(params, updated);
    connection_->send(sql::update_record, params);
  }
  if (!inserted.empty()) {
    Params params = refs_of(inserted);
    add_values(params, inserted);
    connection_->send(sql::insert_record, params);
  }
}

void PostgresTransaction::send_checkpoints(const std::vector<CheckpointWrite>& writes) {
  if (writes.empty()) return;
  Params params;
  params.column(writes, [](const CheckpointWrite& write) { return write.owner; });
  params.column(writes, [](const CheckpointWrite& write) { return write.checkpoint.sequence; });
  params.column(writes, [](const CheckpointWrite& write) { return std::string_view{write.checkpoint.type}; });
  params.column(writes, [](const CheckpointWrite& write) { return write.checkpoint.created_at; });
  params.column(writes,
                [](const CheckpointWrite& write) { return text_or_null(write.checkpoint.metadata.text); });
  params.column(writes,
                [](const CheckpointWrite& write) { return text_or_null(write.checkpoint.snapshot.text); });
  connection_->send(sql::append_checkpoint, params);
  const bool is_over = std::any_of(writes.begin(), writes.end(), [](const CheckpointWrite& write) {
    return write.checkpoint.sequence > write.kept;
  });
  if (!is_over) return;
  Params trimmed;
  trimmed.column(writes, [](const CheckpointWrite& write) { return write.owner; });
  trimmed.column(writes, [](const CheckpointWrite& write) { return write.checkpoint.sequence - write.kept; });
  connection_->send(sql::trim_checkpoints, trimmed);
}

void PostgresTransaction::send_audit(const std::vector<core::AuditEntry>& entries) {
  if (entries.empty()) return;
  Params params;
  params.column(entries, [](const core::AuditEntry& entry) { return entry.sequence; });
  params.column(entries, [](const core::AuditEntry& entry) { return entry.at; });
  for (const auto member :
       {&core::AuditEntry::ns, &core::AuditEntry::actor, &core::AuditEntry::role, &core::AuditEntry::action,
        &core::AuditEntry::object, &core::AuditEntry::request_id, &core::AuditEntry::outcome,
        &core::AuditEntry::hash}) {
    params.column(entries,
                  [member](const core::AuditEntry& entry) { return std::string_view{entry.*member}; });
  }
  params.column(entries, [](const core::AuditEntry& entry) { return text_or_null(entry.detail.text); });
  connection_->send(sql::insert_audit, params);
}

std::vector<core::Record> PostgresStore::select_records(const RecordSelection& selection) {
  const Pool::Loan connection = readers_.borrow();
  return std::visit([&](const auto& selected) { return read_records(*connection, selected); }, selection);
}

std::vector<core::Record> PostgresStore::read_records(Connection& connection, const core::RecordRef& ref) {
  auto record =
      read_first_record(run(connection, [&](Connection& used) { ask_for_record(used, ref); }).front());
  return record ? std::vector{std::move(*record)} : std::vector<core::Record>{};
}

std::vector<core::Record> PostgresStore::read_records(Connection& connection, const RecordPage& page) {
  const auto answers = read(connection, [&](Connection& used) {
    Params params;
    params.value(core::to_string(page.kind));
    params.value(page.ns);
    params.value(page.after_key);
    params.value(static_cast<std::int64_t>(page.limit));
    used.send(sql::list_records, params);
  });
  return read_all(answers.front(), shown);
}

std::vector<core::Record> PostgresStore::read_records(Connection& connection, const AllRecords& selected) {
  const auto answers = read(connection, [&](Connection& used) {
    Params params = params_of(selected.after);
    params.value(static_cast<std::int64_t>(selected.limit));
    used.send(sql::list_all_records, params);
  });
  return read_all(answers.front(), checked);
}

std::vector<core::Record> PostgresStore::read_records(Connection& connection, const DueRecords& selected) {
  const core::TimePoint time = now(connection);
  const auto answers = read(connection, [&](Connection& used) {
    Params params;
    params.value(core::to_string(selected.kind));
    params.value(time);
    params.value(static_cast<std::int64_t>(selected.limit));
    used.send(sql::list_due_records, params);
  });
  auto records = read_all(answers.front(), [](core::Record record) { return record; });
  std::erase_if(records, [](const core::Record& record) { return !is_readable(record); });
  return records;
}

std::vector<core::AuditEntry> PostgresStore::list_audit(const AuditPage& page) {
  constexpr std::int64_t kAfterAll = std::numeric_limits<std::int64_t>::max();
  const Pool::Loan connection = readers_.borrow();
  const auto answers = read(*connection, [&](Connection& used) {
    Params params;
    params.value(page.after.value_or(page.newest_first ? kAfterAll : 0));
    params.value(static_cast<std::int64_t>(page.limit));
    used.send(page.newest_first ? sql::list_audit : sql::list_oldest_audit, params);
  });
  return read_audit(answers.front());
}

std::vector<core::Checkpoint> PostgresStore::list_checkpoints(const CheckpointFilter& filter) {
  const Pool::Loan connection = readers_.borrow();
  const auto answers = run(*connection, [&](Connection& used) {
    Params params;
    params.value(filter.owner);
    params.value(filter.type);
    used.send(filter.latest ? sql::find_latest_checkpoint : sql::list_checkpoints, params);
  });
  const Rows& rows = answers.front();
  std::vector<core::Checkpoint> checkpoints;
  for (int row = 0; row < rows.count(); ++row) {
    checkpoints.push_back({.sequence = rows.int8(row, 0),
                           .type = std::string{rows.text(row, 1)},
                           .snapshot = {std::string{rows.text(row, 2)}},
                           .metadata = {std::string{rows.text(row, 3)}},
                           .created_at = rows.time(row, 4)});
  }
  return checkpoints;
}

core::CheckpointSummary PostgresStore::summarize_checkpoints(const core::Uuid& owner) {
  const Pool::Loan connection = readers_.borrow();
  const auto answers = run(*connection, [&](Connection& used) {
    Params params;
    params.value(owner);
    used.send(sql::summarize_checkpoints, params);
  });
  const Rows& rows = answers.front();
  core::CheckpointSummary summary;
  for (int row = 0; row < rows.count(); ++row) {
    const std::int64_t count = rows.int8(row, 1);
    summary.by_type[std::string{rows.text(row, 0)}] = count;
    summary.total += count;
    summary.max_sequence = std::max(summary.max_sequence, rows.int8(row, 2));
    const core::TimePoint first = rows.time(row, 3);
    const core::TimePoint last = rows.time(row, 4);
    summary.first_at = std::min(summary.first_at.value_or(first), first);
    summary.last_at = std::max(summary.last_at.value_or(last), last);
  }
  return summary;
}

}  // namespace pawl::store::postgres
