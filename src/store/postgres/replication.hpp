#pragma once
// Which rows a synchronous standby surely has. A row is visible on the primary alone after its commit's wait
// for the standby was canceled, or after the primary crashed during that wait. Commits reach the standby in
// order: one that began after a row was read, wrote something and did not fail proves that the standby has
// the row. Any thread.

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
  // What is visible now is on the standby when a commit of this number or a later one is.
  [[nodiscard]] CommitNumber next_commit() const { return begun_ + 1; }
  [[nodiscard]] bool has(CommitNumber commit) const { return replicated_ >= commit; }

 private:
  std::atomic<CommitNumber> begun_ = kDurable;
  std::atomic<CommitNumber> replicated_ = kDurable;
};

// Commits something on a connected connection. False: its outcome is unknown, or the standby may not have it.
[[nodiscard]] bool commit_to_standby(Connection& connection);

}  // namespace pawl::store::postgres
