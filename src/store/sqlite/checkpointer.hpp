#pragma once
// Copies the write-ahead log into the database while commits go on, on a thread of its own: what a copy waits
// for the disk is nothing that a commit should wait for. The log starts from its beginning again when all of
// it was copied, which it never is while somebody writes; so now and then the writer itself copies the little
// that is left. A writer that is faster than the disk is held up when the log is too long: it must not grow
// without end.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/flusher.hpp"

namespace pawl::store::sqlite {

class Checkpointer {
 public:
  // On a connection of its own. `copied` is called after each copy, also on the writer's thread.
  Checkpointer(std::unique_ptr<Connection> connection, Flusher& flusher, std::function<void()> copied = {});
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;
  ~Checkpointer();

  // With the writer's turn held.
  void after_commit(Connection& writer);

 private:
  void run();
  void copy(Connection& connection);

  std::unique_ptr<Connection> connection_;
  Flusher& flusher_;
  const std::function<void()> copied_log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_due_ = false;  // also while a copy is under way
  bool is_stopping_ = false;
  int copied_ = 0;  // frames of the log that the last copy began with; the writer's
  std::thread thread_;
};

}  // namespace pawl::store::sqlite
