#pragma once
// A connection to the database file, with its prepared statements. One thread at a time.

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

// Waits for another process to release a lock: growing delays with jitter. The first ones are short because a
// commit takes a tenth of a millisecond; jitter prevents processes that wait in step from colliding again.
class BusyWait {
 public:
  static constexpr std::chrono::microseconds kLongest{30'000'000};

  explicit BusyWait(std::uint64_t seed) : state_(seed | 1U) {}
  // The maximum total delay of one wait.
  void set_limit(std::chrono::microseconds limit) { limit_ = limit; }
  // Called with the number of delays so far for one lock; false once the limit is reached.
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

  // The statement for one of the queries in sql.hpp, prepared at its first use. `query` must have static
  // storage: its address is the cache key.
  [[nodiscard]] Statement& statement(std::string_view query);

  // The same for a single-row INSERT, extended to `rows` rows.
  [[nodiscard]] Statement& statement_of_rows(std::string_view query, std::size_t rows);

  // For statements of users.
  [[nodiscard]] sqlite3* handle() const { return db_.get(); }

  // The opened file: an absolute path without symbolic links.
  [[nodiscard]] std::string path() const;

  // A statement for one use.
  [[nodiscard]] Statement prepare(std::string_view text) { return {db_.get(), text}; }

  // Runs a script of one or more statements without results. `doing` describes the operation in error
  // messages.
  void execute(const std::string& script, std::string_view doing);

  void begin();            // a snapshot, for reading
  void begin_immediate();  // waits for the write lock
  // The same; false if another process still holds the lock after `limit`.
  [[nodiscard]] bool try_begin_immediate(std::chrono::microseconds limit);
  void commit();
  void roll_back() noexcept;  // no effect without a transaction
  [[nodiscard]] bool in_transaction() const;

  // How long a statement waits for another process's lock; the default is 30 s.
  void wait_at_most(std::chrono::microseconds limit) { busy_.set_limit(lock_wait_ = limit); }

  // From now on commits only append to the log. The Flusher flushes the log and the Checkpointer copies it
  // into the database.
  void only_append();
  // Length of the log after the last commit, on a connection that only appends.
  [[nodiscard]] int log_frames() const { return log_frames_; }
  // Copies the part of the log that no other connection blocks; the rest remains for later. False if the disk
  // could not flush the copied pages: the next flush would then report success although they are lost.
  [[nodiscard]] bool copy_log() noexcept;

  // Copies the write-ahead log into the database and has the next write restart it. Waits briefly for readers
  // that block this and gives up if they remain. False as for `copy_log`.
  [[nodiscard]] bool restart_log();

  // Changes when another connection commits.
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
  std::unique_ptr<sqlite3, Close> db_;  // destroyed after the statements and before its busy handler
  std::unordered_map<const char*, Statement> statements_;
  std::map<std::pair<const char*, std::size_t>, Statement> statements_of_rows_;
};

// A transaction that rolls back on destruction unless it was committed.
class Scope {
 public:
  enum class Kind : std::uint8_t { read, write };
  Scope(Connection& connection, Kind kind) : connection_(connection) {
    kind == Kind::write ? connection.begin_immediate() : connection.begin();
  }
  // Adopts a transaction that has already begun.
  explicit Scope(Connection& connection) : connection_(connection) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { connection_.roll_back(); }
  void commit() { connection_.commit(); }

 private:
  Connection& connection_;
};

}  // namespace pawl::store::sqlite
