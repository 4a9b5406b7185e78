#include "store/sqlite/user_sql.hpp"

#include <memory>

#include <fmt/format.h>
#include <sqlite3.h>

#include "store/sqlite/failure.hpp"

namespace pawl::store::sqlite {

namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

std::exception_ptr refused(const std::string& why) { return std::make_exception_ptr(SqlError{why}); }

void bind(sqlite3_stmt* statement, int index, const SqlValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) {
    sqlite3_bind_int64(statement, index, *truth ? 1 : 0);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    sqlite3_bind_int64(statement, index, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement, index, *real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_bind_text64(statement, index, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else {
    sqlite3_bind_null(statement, index);
  }
}

SqlValue column(sqlite3_stmt* statement, int index) {
  switch (sqlite3_column_type(statement, index)) {
    case SQLITE_NULL: return std::monostate{};
    case SQLITE_INTEGER: return std::int64_t{sqlite3_column_int64(statement, index)};
    case SQLITE_FLOAT: return sqlite3_column_double(statement, index);
    default: break;
  }
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, index));
  return std::string{bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, index))};
}

std::optional<std::string> bind_all(sqlite3_stmt* statement, std::span<const SqlValue> values) {
  if (sqlite3_bind_parameter_count(statement) != static_cast<int>(values.size())) {
    return fmt::format("the statement has {} parameters, but {} values were passed",
                       sqlite3_bind_parameter_count(statement), values.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = fmt::format("${}", i + 1);
    const int index = sqlite3_bind_parameter_index(statement, name.c_str());
    if (index == 0) return fmt::format("the statement has no parameter {}", name);
    bind(statement, index, values[i]);
  }
  return std::nullopt;
}

}  // namespace

// Transient failures become StoreErrors; all others are errors of the statement.
void UserSql::fail_with(int code) {
  const std::string why = sqlite3_errmsg(connection_.handle());
  if (kind_of(code) != StoreError::Kind::unavailable) fail(refused(why));
  fail(std::make_exception_ptr(StoreError{StoreError::Kind::unavailable, why}), true);
}

SqlRows UserSql::run_one(const std::string& statement, std::span<const SqlValue> values) {
  sqlite3* db = connection_.handle();
  sqlite3_stmt* handle = nullptr;
  const char* rest = nullptr;
  const int prepared = sqlite3_prepare_v2(db, statement.c_str(), -1, &handle, &rest);
  const Prepared owner{handle};
  if (prepared != SQLITE_OK) fail_with(prepared);
  if (handle == nullptr) fail(refused("the statement is empty"));
  if (std::string_view{rest}.find_first_not_of("; \t\r\n") != std::string_view::npos)
    fail(refused("only one statement is allowed: there is text after the first one"));
  if (const auto why = bind_all(handle, values)) fail(refused(*why));

  SqlRows rows;
  for (int i = 0; i < sqlite3_column_count(handle); ++i)
    rows.columns.emplace_back(sqlite3_column_name(handle, i));
  const int changes_before = sqlite3_total_changes(db);
  int code = sqlite3_step(handle);
  for (; code == SQLITE_ROW; code = sqlite3_step(handle)) {
    auto& row = rows.rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(handle); ++i) row.push_back(column(handle, i));
  }
  if (code != SQLITE_DONE) fail_with(code);
  // Only INSERT, UPDATE and DELETE set sqlite3_changes: after others it is that of an earlier statement.
  if (sqlite3_total_changes(db) != changes_before) rows.changed = sqlite3_changes(db);
  return rows;
}

}  // namespace pawl::store::sqlite
