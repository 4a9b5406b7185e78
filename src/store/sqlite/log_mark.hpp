#pragma once
// Detects a write-ahead log that was deleted while no process had the database open: SQLite would open the
// database without it and silently serve an older state.
//
// A number in the database (table file_mark) is raised by the first commit after each copy of the log, and
// written into a file beside the database (`-mark`) once that commit is durable. So while the log holds
// commits that the database file does not, the number in the database file is lower than the one beside it. A
// log that is missing or empty at open and a lower number mean that commits are gone. ADR 57 says what that
// means for backups and copies.
//
// `advance`, `committed` and `rolled_back` need the writer's turn; the others may be called by any thread.

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
  // Before the database is opened, which makes an empty log. `new_id` names a database that has no mark yet.
  LogMark(const std::string& database, std::uint64_t new_id);
  LogMark(const LogMark&) = delete;
  LogMark& operator=(const LogMark&) = delete;
  ~LogMark();

  // Throws StoreError (`unavailable`) where commits are gone with their log.
  void check(Connection& connection) const;
  // Makes the table where it is missing.
  static void prepare(Connection& connection);

  [[nodiscard]] bool is_due() const { return is_due_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_due_after_copy() const { return has_copied_.load(std::memory_order_relaxed); }
  // Raises the number, in a write transaction. `committed` or `rolled_back` must follow.
  void advance(Connection& connection);
  void committed(CommitNumber number);
  void rolled_back() noexcept;
  // All up to this commit are on the disk.
  void note_durable(CommitNumber number) {
    const CommitNumber pending = pending_.load(std::memory_order_acquire);
    if (pending != kDurable && number >= pending) write();
  }
  // A part of the log was copied into the database.
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
  const bool is_new_;  // there was no database
  const bool had_log_;
  int file_ = -1;
  std::atomic<bool> is_due_ = true;
  std::atomic<bool> has_copied_ = false;
  std::mutex mutex_;
  std::optional<Mark> advanced_;  // in the transaction under way
  Mark next_;                     // to be written when it is durable
  std::atomic<CommitNumber> pending_ = kDurable;
};

}  // namespace pawl::store::sqlite
