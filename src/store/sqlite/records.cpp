#include "store/sqlite/records.hpp"

#include <algorithm>
#include <limits>

#include "core/base/ensure.hpp"
#include "store/codec.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/transaction.hpp"

namespace pawl::store::sqlite {

namespace {

core::Record read_record(Rows& row) {
  const auto kind = core::record_kind_from(row.text());
  PAWL_ENSURE(kind.has_value(), "a record is of a kind that this binary wrote");
  core::Record record;
  record.ref.kind = *kind;
  record.ref.ns = row.string();
  record.ref.key = row.string();
  record.version = row.int64();
  record.body = row.json();
  record.expires_at = row.optional_time();
  record.created_at = row.time();
  record.updated_at = row.time();
  return record;
}

std::vector<core::Record> read_all(Rows& row, core::Record (*prepared)(core::Record)) {
  std::vector<core::Record> records;
  while (row.next()) records.push_back(prepared(read_record(row)));
  return records;
}

int write_record(Connection& connection, const RecordWrite& write) {
  const std::string_view kind = core::to_string(write.ref.kind);
  if (!write.record) {
    return connection.statement(sql::delete_record)
        .run(kind, write.ref.ns, write.ref.key, write.version_before);
  }
  const core::Record& record = *write.record;
  if (write.version_before == 0) {
    return connection.statement(sql::insert_record)
        .run(kind, write.ref.ns, write.ref.key, record.version, record.body, record.expires_at,
             record.created_at, record.updated_at);
  }
  return connection.statement(sql::update_record)
      .run(record.version, record.body, record.expires_at, record.created_at, record.updated_at, kind,
           write.ref.ns, write.ref.key, write.version_before);
}

}  // namespace

std::vector<std::optional<core::Record>> SqliteTransaction::lock_records(
    std::span<const core::RecordRef> refs) {
  std::vector<std::optional<core::Record>> found;
  for (const core::RecordRef& ref : refs) found.push_back(find_record(connection_, ref));
  return found;
}

std::vector<std::optional<core::Record>> SqliteTransaction::read_records(
    std::span<const core::RecordRef> refs) {
  return lock_records(refs);  // no other writer can change them
}

std::vector<std::int64_t> SqliteTransaction::read_last_checkpoints(std::span<const core::Uuid> owners) {
  std::vector<std::int64_t> last;
  for (const core::Uuid& owner : owners) {
    Rows row = connection_.statement(sql::find_last_checkpoint).rows(owner);
    last.push_back(row.next() ? row.int64() : 0);
  }
  return last;
}

void write_records(Connection& connection, const std::vector<RecordWrite>& writes) {
  for (const RecordWrite& write : writes) {
    if (write_record(connection, write) != 1)
      throw StoreError{StoreError::Kind::retry, "a record changed since it was loaded"};
  }
}

void write_checkpoints(Connection& connection, const std::vector<CheckpointWrite>& writes) {
  for (const auto& [owner, checkpoint, kept] : writes) {
    connection.statement(sql::append_checkpoint)
        .run(owner, checkpoint.sequence, checkpoint.type, checkpoint.created_at, checkpoint.metadata,
             checkpoint.snapshot);
    if (checkpoint.sequence > kept)
      connection.statement(sql::trim_checkpoints).run(owner, checkpoint.sequence - kept);
  }
}

void write_audit(Connection& connection, const std::vector<core::AuditEntry>& entries) {
  for (const core::AuditEntry& entry : entries) {
    connection.statement(sql::insert_audit)
        .run(entry.sequence, entry.at, entry.ns, entry.actor, entry.role, entry.action, entry.object,
             entry.request_id, entry.outcome, entry.detail, entry.hash);
  }
}

std::optional<core::Record> find_record(Connection& connection, const core::RecordRef& ref) {
  Rows row = connection.statement(sql::find_record).rows(core::to_string(ref.kind), ref.ns, ref.key);
  return row.next() ? std::optional{checked(read_record(row))} : std::nullopt;
}

std::vector<core::Record> select_records(Connection& connection, const RecordSelection& selection,
                                         core::TimePoint now) {
  if (const auto* ref = std::get_if<core::RecordRef>(&selection)) {
    auto record = find_record(connection, *ref);
    return record ? std::vector{std::move(*record)} : std::vector<core::Record>{};
  }
  if (const auto* page = std::get_if<RecordPage>(&selection)) {
    Rows row = connection.statement(sql::list_records)
                   .rows(core::to_string(page->kind), page->ns, page->after_key, page->limit);
    return read_all(row, shown);
  }
  if (const auto* all = std::get_if<AllRecords>(&selection)) {
    Rows row = connection.statement(sql::list_all_records)
                   .rows(core::to_string(all->after.kind), all->after.ns, all->after.key, all->limit);
    return read_all(row, checked);
  }
  const auto& due = std::get<DueRecords>(selection);
  Rows row = connection.statement(sql::list_due_records).rows(core::to_string(due.kind), now, due.limit);
  auto records = read_all(row, [](core::Record record) { return record; });
  std::erase_if(records, [](const core::Record& record) { return !is_readable(record); });
  return records;
}

namespace {

std::vector<core::AuditEntry> read_audit(Rows& row) {
  std::vector<core::AuditEntry> entries;
  while (row.next()) {
    entries.push_back({.sequence = row.int64(),
                       .at = row.time(),
                       .ns = row.string(),
                       .actor = row.string(),
                       .role = row.string(),
                       .action = row.string(),
                       .object = row.string(),
                       .request_id = row.string(),
                       .outcome = row.string(),
                       .detail = row.json(),
                       .hash = row.string()});
  }
  return entries;
}

}  // namespace

std::vector<core::AuditEntry> list_audit(Connection& connection, const AuditPage& page) {
  constexpr std::int64_t kAfterAll = std::numeric_limits<std::int64_t>::max();
  Rows row = connection.statement(page.newest_first ? sql::list_audit : sql::list_oldest_audit)
                 .rows(page.after.value_or(page.newest_first ? kAfterAll : 0), page.limit);
  return read_audit(row);
}

std::vector<core::Checkpoint> list_checkpoints(Connection& connection, const CheckpointFilter& filter) {
  std::vector<core::Checkpoint> checkpoints;
  Rows row = connection.statement(filter.latest ? sql::find_latest_checkpoint : sql::list_checkpoints)
                 .rows(filter.owner, filter.type);
  while (row.next()) {
    checkpoints.push_back({.sequence = row.int64(),
                           .type = row.string(),
                           .snapshot = row.json(),
                           .metadata = row.json(),
                           .created_at = row.time()});
  }
  return checkpoints;
}

core::CheckpointSummary summarize_checkpoints(Connection& connection, const core::Uuid& owner) {
  core::CheckpointSummary summary;
  Rows row = connection.statement(sql::summarize_checkpoints).rows(owner);
  while (row.next()) {
    const std::string type = row.string();
    const std::int64_t count = row.int64();
    summary.by_type[type] = count;
    summary.total += count;
    summary.max_sequence = std::max(summary.max_sequence, row.int64());
    const core::TimePoint first = row.time();
    const core::TimePoint last = row.time();
    summary.first_at = std::min(summary.first_at.value_or(first), first);
    summary.last_at = std::max(summary.last_at.value_or(last), last);
  }
  return summary;
}

}  // namespace pawl::store::sqlite
