#pragma once
// Detects a write-ahead log that was deleted while no process had the database open: SQLite would open the
// database without it and silently serve an older state.
//
// The first commit after each copy of the log raises a number in the database (table file_mark). Once that
// commit is durable, the number is written to a file beside the database (`-mark`). So while the log holds
// commits that the database file lacks, the number in the database file is lower than the one beside it. If
// at open the log is missing or empty and the number is lower, commits are lost. ADR 57 explains the
// consequences for backups and copies.
//
// `advance`, `committed` and `rolled_back` require the writer's turn; the other functions are thread-safe.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

class LogMark {
 public:
  // Construct before the database is opened, which creates an empty log. `new_id` identifies a database that
  // has no mark yet.
  LogMark(const std::string& database, std::uint64_t new_id);
  LogMark(const LogMark&) = delete;
  LogMark& operator=(const LogMark&) = delete;
  ~LogMark();

  // Throws StoreError (`unavailable`) if commits were lost with the log.
  void check(Connection& connection) const;
  // Creates the table if it is missing.
  static void prepare(Connection& connection);

  [[nodiscard]] bool is_due() const { return is_due_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_due_after_copy() const { return has_copied_.load(std::memory_order_relaxed); }
  // Raises the number, in a write transaction. Must be followed by `committed` or `rolled_back`.
  void advance(Connection& connection);
  void committed(CommitNumber number);
  void rolled_back() noexcept;
  // All commits up to this one are on the disk.
  void note_durable(CommitNumber number) {
    const CommitNumber pending = pending_.load(std::memory_order_acquire);
    if (pending != kDurable && number >= pending) write();
  }
  // Part of the log was copied into the database.
  void note_copy() {
    is_due_ = true;
    has_copied_ = true;
  }

 private:
  struct Mark {
    std::int64_t id = 0;
    std::int64_t number = 0;
  };
  [[nodiscard]] static std::optional<Mark> find(Connection& connection);
  [[nodiscard]] std::optional<Mark> read() const;
  void write();

  const std::string database_;
  const std::string path_;
  const std::int64_t new_id_;
  const bool is_new_;  // the database did not exist
  const bool had_log_;
  int file_ = -1;
  std::atomic<bool> is_due_ = true;
  std::atomic<bool> has_copied_ = false;
  std::mutex mutex_;
  std::optional<Mark> advanced_;  // in the current transaction
  Mark next_;                     // to be written once it is durable
  std::atomic<CommitNumber> pending_ = kDurable;
};

}  // namespace pawl::store::sqlite
