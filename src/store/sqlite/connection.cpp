#include "store/sqlite/connection.hpp"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>
#include <sqlite3.h>

#include "store/sqlite/failure.hpp"
#include "store/sqlite/private_files.hpp"
#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

namespace {

using std::chrono::microseconds;

constexpr microseconds kFirstWait{100};
constexpr microseconds kLongestWait{2'000};
constexpr std::string_view kOpening = "opening it";
constexpr microseconds kRestartWait{50'000};  // writers are blocked meanwhile

// By default SQLite counts every allocation under one lock for all threads; this must be turned off before
// its first use.
void configure_library() {
  static std::once_flag once;
  std::call_once(once, [] { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); });
}

int note_wal(void* is_wal, int, char** columns, char**) {
  *static_cast<bool*>(is_wal) = std::string_view{columns[0]} == "wal";
  return 0;
}

int note_frames(void* into, sqlite3*, const char*, int frames) {
  *static_cast<int*>(into) = frames;
  return SQLITE_OK;
}

int on_busy(void* wait, int count) { return static_cast<BusyWait*>(wait)->wait(count) ? 1 : 0; }

}  // namespace

bool BusyWait::wait(int count) {
  if (count == 0) waited_ = microseconds{0};
  if (waited_ >= limit_) return false;
  state_ ^= state_ << 13U;
  state_ ^= state_ >> 7U;
  state_ ^= state_ << 17U;
  const auto longest = std::min(kFirstWait * (count + 1), kLongestWait).count();
  const auto spread = static_cast<std::int64_t>(state_ % static_cast<std::uint64_t>(longest));
  const microseconds chosen{longest / 2 + spread / 2};
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  vfs->xSleep(vfs, static_cast<int>(chosen.count()));
  waited_ += chosen;
  return true;
}

void Connection::Close::operator()(sqlite3* db) const { sqlite3_close_v2(db); }

Connection::Connection(const ConnectionOptions& options) : busy_(options.seed) {
  configure_library();
  open(options);
  configure(options);
}

void Connection::open(const ConnectionOptions& options) {
  const int access = options.is_writer ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  if (options.is_writer) create_private(options.path);
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(options.path.c_str(), &db, access | SQLITE_OPEN_NOMUTEX, nullptr);
  db_.reset(db);
  if (code != SQLITE_OK) {
    throw StoreError{kind_of(code), fmt::format("{}: cannot open the database: {}", options.path,
                                                db == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db))};
  }
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_handler(db, on_busy, &busy_);
}

void Connection::configure(const ConnectionOptions& options) {
  // secure_delete is on in Debian's build and overwrites every row that a claim or a completion deletes with
  // zeros.
  execute(
      "pragma secure_delete = off; pragma temp_store = memory; pragma trusted_schema = off;"
      "pragma cache_size = -16384",
      kOpening);
  if (!options.is_writer) return;
  if (sqlite3_db_readonly(db_.get(), "main") == 1) {
    throw StoreError{StoreError::Kind::unavailable, options.path + ": the database file is read-only"};
  }
  enter_wal_mode();
  execute("pragma synchronous = full; pragma wal_autocheckpoint = 1000; pragma journal_size_limit = 16777216",
          kOpening);
  if (options.max_page_count)
    execute(fmt::format("pragma max_page_count = {}", *options.max_page_count), kOpening);
}

// Another process that opens the same new file may do the same; SQLite then returns busy immediately, since
// each holds the shared lock that the other must wait for.
void Connection::enter_wal_mode() {
  for (int count = 0;; ++count) {
    bool is_wal = false;
    const int code = sqlite3_exec(db_.get(), "pragma journal_mode = wal", note_wal, &is_wal, nullptr);
    if (code == SQLITE_OK && is_wal) return;
    if (code == SQLITE_OK) {
      throw StoreError{StoreError::Kind::unavailable,
                       fmt::format("{}: SQLite cannot keep a write-ahead log here (a network file system?)",
                                   sqlite3_db_filename(db_.get(), "main"))};
    }
    if ((code & 0xff) != SQLITE_BUSY || !busy_.wait(count)) throw_error(db_.get(), code, kOpening);
  }
}

Statement& Connection::statement(std::string_view query) {
  return statements_.try_emplace(query.data(), db_.get(), query).first->second;
}

Statement& Connection::statement_of_rows(std::string_view query, std::size_t rows) {
  if (rows == 1) return statement(query);
  const std::pair key{query.data(), rows};
  if (const auto known = statements_of_rows_.find(key); known != statements_of_rows_.end())
    return known->second;
  constexpr std::string_view kValues = "values ";
  const std::string_view row = query.substr(query.rfind(kValues) + kValues.size());
  std::string text{query};
  for (std::size_t i = 1; i < rows; ++i) text.append(", ").append(row);
  return statements_of_rows_.try_emplace(key, db_.get(), text).first->second;
}

void Connection::execute(const std::string& script, std::string_view doing) {
  const int code = sqlite3_exec(db_.get(), script.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw_error(db_.get(), code, doing);
}

void Connection::begin() { statement(sql::begin_read).run(); }
void Connection::begin_immediate() { statement(sql::begin_write).run(); }
bool Connection::try_begin_immediate(microseconds limit) {
  busy_.set_limit(limit);
  const int code = sqlite3_exec(db_.get(), std::string{sql::begin_write}.c_str(), nullptr, nullptr, nullptr);
  busy_.set_limit(BusyWait::kLongest);
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY)
    throw_error(db_.get(), code, "beginning a transaction");
  return code == SQLITE_OK;
}

void Connection::commit() { statement(sql::commit).run(); }

void Connection::roll_back() noexcept {
  if (in_transaction()) sqlite3_exec(db_.get(), "rollback", nullptr, nullptr, nullptr);
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

void Connection::only_append() {
  execute("pragma synchronous = normal", kOpening);
  sqlite3_wal_hook(db_.get(), note_frames, &log_frames_);  // replaces the hook that copies the log
}

std::string Connection::path() const { return sqlite3_db_filename(db_.get(), "main"); }

bool Connection::copy_log() noexcept {
  return sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr) !=
         SQLITE_IOERR_FSYNC;
}

bool Connection::restart_log() {
  busy_.set_limit(kRestartWait);
  const int code = sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
  busy_.set_limit(lock_wait_);
  if (code == SQLITE_IOERR_FSYNC) return false;
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY)
    throw_error(db_.get(), code, "copying the log into the database");
  return true;
}

std::int64_t Connection::data_version() {
  Rows rows = statement(sql::data_version).rows();
  return rows.next() ? rows.int64() : 0;
}

}  // namespace pawl::store::sqlite
