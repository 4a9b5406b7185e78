#pragma once
// Copies the write-ahead log into the database on its own thread, so that commits do not wait for the disk
// writes of the copy. SQLite restarts the log from its beginning once all of it is copied, which never
// happens while commits continue; so from time to time the writer itself copies the small remainder. If
// commits outpace the disk and the log becomes too long, the writer waits: this bounds the log.

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
  // `connection` belongs to the checkpointer. `copied` is called after each copy, on its thread or on the
  // writer's.
  Checkpointer(std::unique_ptr<Connection> connection, Flusher& flusher, std::function<void()> copied = {});
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;
  ~Checkpointer();

  // The caller holds the writer's turn.
  void after_commit(Connection& writer);

 private:
  void run();
  void copy(Connection& connection);

  std::unique_ptr<Connection> connection_;
  Flusher& flusher_;
  const std::function<void()> copied_log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_due_ = false;  // also while a copy is running
  bool is_stopping_ = false;
  int copied_ = 0;  // length of the log, in frames, when the last copy began; accessed by the writer only
  std::thread thread_;
};

}  // namespace pawl::store::sqlite
