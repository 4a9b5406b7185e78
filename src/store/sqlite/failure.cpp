#include "store/sqlite/failure.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include "store/sqlite/lock_holder.hpp"

namespace pawl::store::sqlite {

namespace {

std::string_view plain_words(int primary_code) {
  switch (primary_code) {
    case SQLITE_FULL: return "the disk is full";
    case SQLITE_READONLY: return "the database is read-only";
    case SQLITE_CANTOPEN: return "the database cannot be opened";
    case SQLITE_IOERR: return "reading or writing the disk failed";
    case SQLITE_NOTADB: return "the file is not a SQLite database";
    case SQLITE_CORRUPT: return "the database file is damaged";
    case SQLITE_CONSTRAINT: return "a constraint is violated";
    default: return "SQLite rejected the operation";
  }
}

}  // namespace

StoreError::Kind kind_of(int extended_code) {
  using Kind = StoreError::Kind;
  if (extended_code == SQLITE_CONSTRAINT_FOREIGNKEY) return Kind::invalid;
  if (extended_code == SQLITE_CONSTRAINT_UNIQUE || extended_code == SQLITE_CONSTRAINT_PRIMARYKEY) {
    return Kind::conflict;
  }
  switch (extended_code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
    case SQLITE_BUSY: return Kind::unavailable;
    default: return Kind::internal;
  }
}

void throw_error(sqlite3* db, int code, std::string_view doing) {
  const char* path = db == nullptr ? nullptr : sqlite3_db_filename(db, "main");
  if ((code & 0xff) == SQLITE_BUSY && path != nullptr) {
    throw StoreError{kind_of(code),
                     fmt::format("{}: {}: timed out waiting for the write lock: {} (SQLite code {})", path,
                                 doing, describe_lock_holder(path), code)};
  }
  const char* detail = db == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db);
  throw StoreError{kind_of(code),
                   fmt::format("{}: {} while {} ({}, SQLite code {})", path == nullptr ? "" : path,
                               plain_words(code & 0xff), doing, detail, code)};
}

}  // namespace pawl::store::sqlite
