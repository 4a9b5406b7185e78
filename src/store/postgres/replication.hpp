#pragma once
// Tracks which rows a synchronous standby certainly has. A row is visible on the primary alone if its
// commit's wait for the standby was canceled, or if the primary crashed during that wait. Commits reach the
// standby in order: a commit that began after a row was read, wrote something and succeeded proves that the
// standby has the row. Thread-safe.

#include <atomic>

#include "store/postgres/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

class Replication {
 public:
  // The number of a commit that is about to be sent.
  [[nodiscard]] CommitNumber begin_commit() { return ++begun_; }
  // The commit wrote something, and the server replied without a warning.
  void note_replicated(CommitNumber commit);
  // All rows visible now are on the standby once a commit with this number or a later one is.
  [[nodiscard]] CommitNumber next_commit() const { return begun_ + 1; }
  [[nodiscard]] bool has(CommitNumber commit) const { return replicated_ >= commit; }

 private:
  std::atomic<CommitNumber> begun_ = kDurable;
  std::atomic<CommitNumber> replicated_ = kDurable;
};

// Commits a small write on an open connection. False: its outcome is unknown, or the standby may not have it.
[[nodiscard]] bool commit_to_standby(Connection& connection);

}  // namespace pawl::store::postgres
