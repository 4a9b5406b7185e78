#include "store/sqlite/statement.hpp"

#include <cstring>

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/base/ensure.hpp"
#include "store/sqlite/failure.hpp"

namespace pawl::store::sqlite {

namespace {

std::string running(std::string_view sql) { return fmt::format("running `{}`", sql.substr(0, 120)); }

[[noreturn]] void fail(sqlite3_stmt* handle, int code) {
  throw_error(sqlite3_db_handle(handle), code, running(sqlite3_sql(handle)));
}

}  // namespace

Rows::~Rows() { sqlite3_reset(handle_); }

bool Rows::next() {
  column_ = 0;
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(handle_, code);
  return false;
}

bool Rows::is_null() const { return sqlite3_column_type(handle_, column_) == SQLITE_NULL; }

double Rows::number() { return sqlite3_column_double(handle_, column_++); }

std::int64_t Rows::int64() { return sqlite3_column_int64(handle_, column_++); }

std::string_view Rows::text() {
  const int column = column_++;
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (bytes == nullptr && sqlite3_column_type(handle_, column) != SQLITE_NULL) fail(handle_, SQLITE_NOMEM);
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

core::TaskId Rows::task_id() {
  const int column = column_++;
  const void* bytes = sqlite3_column_blob(handle_, column);
  core::TaskId id;
  if (sqlite3_column_bytes(handle_, column) != static_cast<int>(id.bytes.size())) {
    throw StoreError{StoreError::Kind::internal, "a stored id does not have 16 bytes"};
  }
  std::memcpy(id.bytes.data(), bytes, id.bytes.size());
  return id;
}

std::string Rows::id_text() {
  if (is_null()) return ++column_, std::string{};
  const int size = sqlite3_column_bytes(handle_, column_);
  if (size == static_cast<int>(core::Uuid{}.bytes.size())) return core::to_string(task_id());
  ++column_;
  return "an id of " + std::to_string(size) + " bytes";
}

std::optional<std::int64_t> Rows::optional_int64() {
  if (is_null()) return ++column_, std::nullopt;
  return int64();
}

std::optional<core::TimePoint> Rows::optional_time() {
  if (is_null()) return ++column_, std::nullopt;
  return time();
}

std::optional<core::Duration> Rows::optional_duration() {
  if (is_null()) return ++column_, std::nullopt;
  return core::Duration{int64()};
}

std::optional<std::string> Rows::optional_string() {
  if (is_null()) return ++column_, std::nullopt;
  return string();
}

Statement::Statement(sqlite3* db, std::string_view sql) {
  const int code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &handle_, nullptr);
  if (code != SQLITE_OK) throw_error(db, code, running(sql));
  parameters_ = sqlite3_bind_parameter_count(handle_);
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::bind(int index, std::int64_t value) { sqlite3_bind_int64(handle_, index, value); }

void Statement::bind(int index, double value) { sqlite3_bind_double(handle_, index, value); }

void Statement::bind(int index, std::string_view value) {
  // A null pointer would be bound as NULL, which differs from an empty text.
  const char* bytes = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_text(handle_, index, bytes, static_cast<int>(value.size()), SQLITE_STATIC);
}

void Statement::bind(int index, const core::Uuid& value) {
  sqlite3_bind_blob(handle_, index, value.bytes.data(), static_cast<int>(value.bytes.size()), SQLITE_STATIC);
}

void Statement::bind(int index, const Copied& value) {
  if (!value.text) return bind(index, std::nullopt);
  const int code = sqlite3_bind_text(handle_, index, value.text->data(), static_cast<int>(value.text->size()),
                                     SQLITE_TRANSIENT);
  if (code != SQLITE_OK) fail(handle_, code);
}

void Statement::bind(int index, std::nullopt_t) { sqlite3_bind_null(handle_, index); }

void Statement::check_bound(int count) const {
  PAWL_ENSURE(count == parameters_, "a statement must be bound with all its parameters each time");
}

int Statement::run_bound() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_DONE) {
    const Rows free_again{handle_};
    fail(handle_, code);
  }
  sqlite3* db = sqlite3_db_handle(handle_);
  const int changed = sqlite3_changes(db);
  sqlite3_reset(handle_);
  return changed;
}

}  // namespace pawl::store::sqlite
