#pragma once
// Lets callers wait for a run's end or follow its events. Waiting holds no thread: a watcher reads the run
// when this process's engine reports a change, and polls because other nodes do not report theirs.
//
// A follower whose access ends (a revoked token) receives nothing more. Thread-safe.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "core/api/run_api.hpp"
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
  // Work scheduled with `later` must not run after this object is destroyed.
  RunWatch(core::RunApi& runs, engine::RunWatch& news, Auth& auth, Threads threads);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  ~RunWatch();

  // `done` is called once: with the run when it has ended, or with its current state after `wait`.
  using Done = std::function<void(core::Result<core::Run>)>;
  void await(const core::RunRef& run, core::Duration wait, Done done);

  // Sends the events after this sequence, existing and new ones, until the run ends.
  struct From {
    core::RunRef run = {};
    std::int64_t after = 0;
  };
  void follow(Request request, From from, std::shared_ptr<EventStream> stream);

  // Answers all waits immediately from now on: the server is stopping.
  void stop_waiting() { is_stopping_ = true; }

 private:
  enum class Next : std::uint8_t { end, later, now };
  // Reads the run and returns when to read again. Never runs concurrently.
  using Poll = std::function<Next()>;
  struct Watcher {
    Poll poll = {};
    WorkOwner owner = {};  // that reads are charged to
    std::uint64_t news_id = 0;
    std::mutex mutex = {};    // guards the members below
    bool is_polling = true;   // true until the watcher is set up
    bool has_news = false;    // changed during the read
    std::uint64_t polls = 0;  // invalidates timers of earlier reads
  };
  // The engine may call back after this object is destroyed.
  struct Gate {
    std::mutex mutex;
    RunWatch* watch = nullptr;
  };

  // The watcher is shared with the engine and the timers.
  std::shared_ptr<Watcher> begin(const core::RunId& run, engine::RunWatch::Of what, Poll how);
  void wake(const std::shared_ptr<Watcher>& watcher);
  void poll(const std::shared_ptr<Watcher>& watcher);
  Next send_events(From& from, EventStream& stream);

  core::RunApi& runs_;
  engine::RunWatch& news_;
  Auth& auth_;
  Threads threads_;
  std::shared_ptr<Gate> gate_;  // shared with the engine's callbacks
  std::atomic<bool> is_stopping_ = false;
};

}  // namespace pawl::server
