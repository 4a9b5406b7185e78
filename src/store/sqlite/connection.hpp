#pragma once
// One connection to the database file, with its prepared statements. One thread at a time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "store/sqlite/statement.hpp"

namespace pawl::store::sqlite {

// How we wait for another process to be done. Growing waits with jitter: short ones first because a commit
// takes a tenth of a millisecond, spread because processes that wait in step would always collide again.
class BusyWait {
 public:
  static constexpr std::chrono::microseconds kLongest{30'000'000};

  explicit BusyWait(std::uint64_t seed) : state_(seed | 1U) {}
  // How long one wait may take in all.
  void set_limit(std::chrono::microseconds limit) { limit_ = limit; }
  // Called with the number of waits so far for one lock; false when it has waited long enough.
  [[nodiscard]] bool wait(int count);

 private:
  std::uint64_t state_;
  std::chrono::microseconds limit_ = kLongest;
  std::chrono::microseconds waited_{0};
};

struct ConnectionOptions {
  std::string path;
  bool is_writer = false;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> max_page_count = {};
};

class Connection {
 public:
  explicit Connection(const ConnectionOptions& options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() = default;

  // The statement of one of the queries in sql.hpp, prepared at its first use. `query` must live as long as
  // the program: its address stands for it.
  [[nodiscard]] Statement& statement(std::string_view query);

  // The same for an INSERT of one row, made to insert `rows` at once.
  [[nodiscard]] Statement& statement_of_rows(std::string_view query, std::size_t rows);

  // For statements that are not ours.
  [[nodiscard]] sqlite3* handle() const { return db_.get(); }

  // The file that it has opened: absolute, with no links in it.
  [[nodiscard]] std::string path() const;

  // A statement for one use.
  [[nodiscard]] Statement prepare(std::string_view text) { return {db_.get(), text}; }

  // Runs a script of one or more statements that yield nothing. `doing` says what for, in the error.
  void execute(const std::string& script, std::string_view doing);

  void begin();            // a snapshot, for reading
  void begin_immediate();  // the write lock; waits for it
  // The same; false if another process still holds it after `limit`.
  [[nodiscard]] bool try_begin_immediate(std::chrono::microseconds limit);
  void commit();
  void roll_back() noexcept;  // nothing, if there is no transaction
  [[nodiscard]] bool in_transaction() const;

  // How long a statement waits for a lock of another process; 30 s unless set.
  void wait_at_most(std::chrono::microseconds limit) { busy_.set_limit(lock_wait_ = limit); }

  // A commit is in the log when it returns: others bring it to the disk (Flusher) and copy the log into the
  // database (Checkpointer).
  void only_append();
  // After a commit of one that only appends: how long the log is.
  [[nodiscard]] int log_frames() const { return log_frames_; }
  // Copies what nobody is in the way of; what could not be copied is left for later. False if the disk could
  // not flush what was copied: the next time it would say that all is well.
  [[nodiscard]] bool copy_log() noexcept;

  // Copies the write-ahead log into the database and has it written from its start again. Waits a moment for
  // readers that are in the way, and does without when they stay. False as for `copy_log`.
  [[nodiscard]] bool restart_log();

  // Changes when another connection has committed.
  [[nodiscard]] std::int64_t data_version();

 private:
  void open(const ConnectionOptions& options);
  void configure(const ConnectionOptions& options);
  void enter_wal_mode();

  struct Close {
    void operator()(sqlite3* db) const;
  };
  BusyWait busy_;
  std::chrono::microseconds lock_wait_ = BusyWait::kLongest;
  int log_frames_ = 0;
  std::unique_ptr<sqlite3, Close> db_;  // outlives the statements, and is outlived by its busy handler
  std::unordered_map<const char*, Statement> statements_;
  std::map<std::pair<const char*, std::size_t>, Statement> statements_of_rows_;
};

// A transaction that is rolled back unless it was committed.
class Scope {
 public:
  enum class Kind : std::uint8_t { read, write };
  Scope(Connection& connection, Kind kind) : connection_(connection) {
    kind == Kind::write ? connection.begin_immediate() : connection.begin();
  }
  // Of one that has begun.
  explicit Scope(Connection& connection) : connection_(connection) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { connection_.roll_back(); }
  void commit() { connection_.commit(); }

 private:
  Connection& connection_;
};

}  // namespace pawl::store::sqlite
