#pragma once
// Who waits for what becomes of a run: its end, or each of its events. Waiting holds no thread: the run is
// looked at when the engine of this process tells of it, and now and then since other nodes do not.
//
// Always: one who may not see the namespace any more (a revoked token) is told nothing more. Any thread.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "core/run_api.hpp"
#include "engine/run_watch.hpp"
#include "server/auth.hpp"
#include "server/event_stream.hpp"
#include "server/request.hpp"
#include "server/threads.hpp"

namespace pawl::server {

class RunWatch {
 public:
  struct Threads {
    Blocking blocking;
    Later later;
  };
  // Work that was put off must not run after this has ended.
  RunWatch(core::RunApi& runs, engine::RunWatch& news, Auth& auth, Threads threads);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

  // `done` is called once: with the run when it has ended, or as it is when the time is over.
  using Done = std::function<void(core::Result<core::Run>)>;
  void await(const core::RunRef& run, core::Duration wait, Done done);

  // Sends the events behind this sequence, those that are there and those that come, until the run has
  // ended.
  struct From {
    core::RunRef run = {};
    std::int64_t after = 0;
  };
  void follow(Request request, From from, std::shared_ptr<EventStream> stream);

  // From now on nobody is made to wait: the server stops.
  void stop_waiting() { is_stopping_ = true; }

 private:
  enum class Next : std::uint8_t { end, later, now };
  // Looks, and says when to look again. Called by one thread at a time.
  using Look = std::function<Next()>;
  struct Watcher {
    Look look = {};
    WorkOwner owner = {};  // of the reads
    std::uint64_t news_id = 0;
    std::mutex mutex = {};    // over what follows
    bool is_looking = true;   // at first, until all is in place
    bool has_news = false;    // which came during the look
    std::uint64_t looks = 0;  // a timer of an earlier one says nothing
  };
  // What the engine calls may come when this has ended.
  struct Gate {
    std::mutex mutex;
    RunWatch* watch = nullptr;
  };

  // Shared with the engine and the timers.
  std::shared_ptr<Watcher> begin(const core::RunId& run, engine::RunWatch::Of what, Look how);
  void wake(const std::shared_ptr<Watcher>& watcher);
  void look(const std::shared_ptr<Watcher>& watcher);
  Next tell(From& from, EventStream& stream);

  core::RunApi& runs_;
  engine::RunWatch& news_;
  Auth& auth_;
  Threads threads_;
  std::shared_ptr<Gate> gate_;  // with what the engine calls
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace pawl::server
