#pragma once
// The implementation of pawl::Worker: one thread claims, runner threads run the claimed work, and the keeper
// renews the leases. Runners are started on demand, up to `max_concurrent`.
//
// A runner whose handler ignores its stop token after its timeout is left behind: another thread takes its
// place, and the runner ends when its handler returns, possibly after the worker has stopped. So the runners
// share the ownership of this object, and the owner of a worker must stop it.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pawl/worker.hpp"
#include "sdk/attempt_watch.hpp"
#include "sdk/connection.hpp"
#include "sdk/reporter.hpp"
#include "worker/lease_keeper.hpp"
#include "worker/notice_listener.hpp"

namespace pawl::detail {

class WorkerCore : public std::enable_shared_from_this<WorkerCore> {
 public:
  WorkerCore(std::shared_ptr<Connection> connection, WorkerOptions options);
  WorkerCore(const WorkerCore&) = delete;
  WorkerCore& operator=(const WorkerCore&) = delete;
  ~WorkerCore() = default;

  void add_task(std::string_view type, const HandlerOptions& options, TaskHandler handler);
  void add_workflow(std::string_view name, const HandlerOptions& options, WorkflowHandler handler);

  void start();
  void stop();
  void run();
  [[nodiscard]] int threads_left_behind();

 private:
  struct Work {
    core::ClaimedTask claimed = {};
    std::shared_ptr<worker::Lease> lease = {};  // shared with the keeper
  };
  // A thread that runs handlers; shared with the thread itself.
  struct Runner {
    std::thread thread = {};
    std::uint64_t works = 0;  // number of works begun
    bool is_running = false;  // the last of them is running
    bool is_left_behind = false;
    bool has_ended = false;  // it does nothing more and can be joined
  };
  using SharedRunner = std::shared_ptr<Runner>;

  void check_new(const std::string& name) const;
  [[nodiscard]] std::string enlist();
  void listen();
  void claim_loop();
  [[nodiscard]] int held_max() const { return options_.max_concurrent + options_.prefetch; }
  [[nodiscard]] int slots_max() const;  // with the lock held
  [[nodiscard]] bool has_free_slot();
  [[nodiscard]] int wait_for_slots();  // 0: stopping
  [[nodiscard]] core::ClaimTasks claim_of(int max) const;
  // Returns false if there were too few threads and some tasks were released.
  [[nodiscard]] bool has_taken(std::vector<core::ClaimedTask> claimed, core::MonotonicTime asked_at);
  // With the lock held. Returns the work for which no thread could be started.
  [[nodiscard]] std::vector<Work> make_runners();
  void back_off(core::Duration wait);
  void run_loop(const SharedRunner& runner);
  void start(const Work& work);
  void do_work(const Work& work, const SharedRunner& runner);
  [[nodiscard]] Outcome call_task(const Work& work, const SharedRunner& runner);
  [[nodiscard]] Outcome call_watched(const Work& work, const SharedRunner& runner,
                                     const std::function<std::string()>& call);
  // The function to call if the runner's current work hangs.
  [[nodiscard]] std::function<void(const std::string&)> on_hung(const Work& work, const SharedRunner& runner);
  void leave_behind(Runner& runner, const std::string& what);  // with the lock held
  // Ends the current waiting call of `calls`.
  void end_waits(const Calls& calls);
  void stop_claiming();
  [[nodiscard]] bool is_idle_within(core::Duration wait);
  void join_runners();
  void end();
  // Does not return if some handlers do not stop in time.
  void end_at_second_signal();
  void deregister();

  std::shared_ptr<Connection> connection_;  // shared with the clients
  WorkerOptions options_;
  Log log_;
  std::map<std::string, TaskHandler, std::less<>> tasks_;
  std::map<std::string, WorkflowHandler, std::less<>> workflows_;  // by the type of their bodies

  std::optional<Calls> claims_;
  std::shared_ptr<Reporter> reporter_;          // shared with the runners
  std::shared_ptr<AttemptWatch> attempts_;      // shared with the runners
  std::shared_ptr<std::atomic<bool>> is_over_;  // shared with the calls that renew the leases
  std::unique_ptr<worker::LeaseKeeper> keeper_;
  std::optional<Calls> notice_calls_;
  std::unique_ptr<worker::NoticeListener> listener_;
  std::thread claimer_;

  std::mutex mutex_;
  std::condition_variable work_came_;     // wakes one runner
  std::condition_variable slot_freed_;    // wakes the claimer
  std::condition_variable idle_;          // wakes the thread that drains
  std::condition_variable runner_ended_;  // wakes the thread that joins the runners
  std::deque<Work> waiting_;
  std::vector<SharedRunner> runners_;  // without those left behind
  int left_behind_ = 0;
  int busy_ = 0;  // waiting or running
  int idle_runners_ = 0;
  // Starting a thread failed: no other is started before this time.
  core::MonotonicTime more_threads_at_ = {};
  bool is_started_ = false;
  std::atomic<bool> is_stopping_ = false;  // set with the mutex held; each step reads it
  bool is_closed_ = false;                 // the runners get no further work
  std::optional<core::Problem> problem_;
};

}  // namespace pawl::detail
