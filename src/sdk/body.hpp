#pragma once
// Runs one claim of a workflow's body: replays the workflow function over the known steps, runs the steps
// without a result, and ends with a report, a suspension or nothing. body.cpp has the passes and the ends,
// body_branches.cpp the branches, body_threads.cpp their threads, body_steps.cpp the steps, body_attempts.cpp
// one attempt, body_waits.cpp the waits, body_transaction.cpp the transactional steps and body_undo.cpp the
// undos.
//
// The function runs in passes. A pass that must wait long is unwound completely before the body is suspended,
// so code that swallows the unwinding is detected while the lease is still held. After a pass that fails with
// registered undos, the function runs once more, up to the last call that it made: there everything that the
// undos refer to is in scope again. The undos run at that point, after the branches have progressed as far as
// before.
//
// Remote steps are sleeps, signals, tasks and children: the engine ends them. The body ends all other steps.

#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pawl/sql.hpp"
#include "pawl/worker.hpp"
#include "sdk/attempt_watch.hpp"
#include "sdk/branch.hpp"
#include "sdk/memo.hpp"
#include "sdk/reporter.hpp"
#include "sdk/step_state.hpp"
#include "sdk/task_state.hpp"

namespace pawl::detail {

// A step that the code has reached.
struct Issued {
  std::string id = {};
  core::StepKind kind = core::StepKind::function;
  std::optional<core::StepMemo> memo = {};  // the step's state at that time
  core::StepWrite begin = {};               // of a remote step
};

// Whether the code awaits a step before it continues. After an `in_line` step, no later step can have a
// stored result if this one has none; a `beside` step runs concurrently. For `begun_soon`, begin_soon() makes
// the check.
enum class Order : std::uint8_t { in_line, beside, begun_soon };

// Where the undos run within the main branch's last call: before the call does anything, or where the call
// invokes undo_if_due, because it registers further undos itself.
enum class UndoPlace : std::uint8_t { at_once, where_called };

// How a step is retried, and the limit for one attempt.
struct StepPolicy {
  StepPolicy(core::RetryPolicy retries = {},
             std::optional<core::Duration> time = {})  // NOLINT: also implicit
      : retry(std::move(retries)), timeout(time) {}

  core::RetryPolicy retry;
  std::optional<core::Duration> timeout;
};

// Delay before a rejected call is retried; doubled each time.
inline constexpr core::Duration kFirstRetry = std::chrono::milliseconds{20};

struct BodyServices {
  Connection& connection;
  Reporter& reporter;
  worker::Lease& lease;
  core::Duration suspend_after = {};
  std::function<bool()> is_draining = {};
  // Whether the worker can run other work besides this body. If so, the body may keep its thread while it
  // waits.
  std::function<bool()> has_free_slot = {};
  std::size_t branch_threads = 1;                                        // for the body's lambdas
  std::size_t memo_bytes_max = std::numeric_limits<std::size_t>::max();  // for outputs kept in memory
  AttemptWatch* attempts = nullptr;                                      // null for a replay of a history
  // Called from another thread when a step ignores its stop token: ends the lease and leaves the thread
  // behind.
  std::function<void(const std::string& what)> on_hung = {};
  // Set for a replay of a history: called with the first step that is not in the history. Nothing new runs
  // then.
  std::function<void(const std::string&)> went_beyond = {};
};

class LocalRun;

class Body {
 public:
  using Call = std::function<std::string()>;
  using StepCall = std::function<std::string(Step&)>;

  Body(BodyServices services, const core::ClaimedTask& claimed);
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body();

  // Runs the body. Returns whether it completed; nothing if it has not ended.
  [[nodiscard]] std::optional<bool> run(const WorkflowHandler& handler);

  // --- for the branches, each on its own thread ---

  // Every use of the workflow begins with this call. Throws Unwind if the branch is being unwound.
  void enter(Branch& branch, UndoPlace undo = UndoPlace::at_once);
  // Issues the next step of this name. Parks the run if the history has a different step there.
  [[nodiscard]] Issued issue(Branch& branch, std::string_view name, core::StepKind kind,
                             Order order = Order::in_line);
  [[nodiscard]] Issued issue_id(Branch& branch, std::string id, core::StepKind kind,
                                Order order = Order::in_line);
  // Marks these steps as reached at the same time: each of them may have ended before the others.
  void come_to(const std::vector<std::string>& ids);
  [[nodiscard]] std::string next_id(Branch& branch, std::string_view name);
  // The step names of a map's items: "name[0]" and so on. No earlier step of the branch may have one of them.
  [[nodiscard]] std::vector<std::string> item_ids(Branch& branch, std::string_view name, std::size_t count);

  [[nodiscard]] std::string execute(Branch& branch, const Issued& issued, const StepPolicy& policy,
                                    const StepCall& call);
  // Like execute(), but the call and the step's write are one database transaction.
  using SqlCall = std::function<std::string(Step&, Sql&)>;
  [[nodiscard]] std::string execute_transaction(Branch& branch, const Issued& issued,
                                                const StepPolicy& policy, const SqlCall& call);
  // Begins a remote step with the next write, together with others. A rejected step counts as failed, and
  // awaiting it throws.
  void begin_soon(Branch& branch, Issued& issued);
  void begin_now(Branch& branch, const std::optional<core::AwaitSteps>& await = {});
  // Waits until a remote step has ended and returns it. Suspends the body if the wait is long.
  [[nodiscard]] core::StepMemo settle(Branch& branch, const Issued& issued);
  // Cancels a step with the next write unless it has ended; `cancel_within`: all remote steps of a branch.
  void cancel_soon(const Issued& issued);
  void cancel_within(const std::string& prefix);
  // Reads the state of steps whose last known state is from an earlier pass and not final; `ask`: of all
  // steps.
  void look_again(Branch& branch, const std::vector<Issued>& waiting);
  void ask(Branch& branch, const std::vector<Issued>& waiting,
           const std::optional<core::AwaitSteps>& await = {});
  // Waits on this thread, as long as a body may, until one of these remote steps has ended, or all have.
  void await_here(Branch& branch, const std::vector<Issued>& waiting, bool wants_all);
  [[nodiscard]] std::optional<core::StepMemo> find(const std::string& id) const { return memo_.find(id); }

  // Runs the undos if this is the undo pass and the main branch has reached the last call of the failed pass:
  // everything is in scope again there.
  void undo_if_due(Branch& branch);
  void add_undo(Branch& branch, std::string_view name, const StepPolicy& policy,
                std::function<void(Step&)> call);
  // The undo and the write of its step are one database transaction.
  void add_undo_transaction(Branch& branch, std::string_view name, const StepPolicy& policy, SqlCall call);
  [[nodiscard]] std::string keep_marker(Branch& branch, const std::string& id, std::string value);
  [[nodiscard]] bool is_patched(Branch& branch, std::string_view name);
  // The same in each pass. It is stored before the promise begins, so a crash cannot change a published
  // token.
  [[nodiscard]] std::string promise_secret(Branch& branch, const Issued& issued);
  void set_status(Branch& branch, std::string status);
  [[noreturn]] void continue_as_new(Branch& branch, std::string input);

  struct Waiting {
    std::optional<core::TimePoint> until = {};
    std::vector<std::string> steps = {};
    bool wants_all = false;
    std::shared_ptr<const Interest> interest = {};  // of the waiting branch
    bool before_undoing = false;                    // waits for tasks and children to end
  };
  [[noreturn]] void suspend(Branch& branch, Waiting waiting);
  [[noreturn]] static void unwind(Branch& branch, Ending ending);
  // Unwinds the branch if it must not begin anything new.
  void check_stop(Branch& branch);

  // Concurrent branches, and the results that no branch awaited. At most `BodyServices::branch_threads`
  // threads run branches that do not wait for one another; further branches are queued.
  void enqueue(LocalRun& run);
  void branch_ends(const std::function<void()>& change);
  // Runs it on this thread if it is still queued, since this thread would otherwise wait for another one to
  // run it.
  void run_if_queued(LocalRun& run);
  // Whether no thread can be started for the queued branches; then a waiting thread runs them.
  [[nodiscard]] bool is_short_of_threads();
  // Notes that the code has reached a branch with its own steps, or a concurrent step of `owner`.
  void begin_line(Branch& line, const Branch& owner);
  static void begin_beside(Branch& beside, const Branch& owner, bool is_known);
  // Waits until `is_enough` returns true, at most `at_most`. The lock is held during that call.
  void wait_for_branches(const std::function<bool()>& is_enough);
  void wait_for_branches(const std::function<bool()>& is_enough, core::Duration at_most);
  void wait_for_all_branches();
  [[nodiscard]] bool is_true(const std::function<bool()>& condition);  // with the lock held
  // `is_let_go`: the outcome does not affect the run.
  void note_unawaited(const Outcome& outcome, Ending ending, bool is_let_go);
  [[nodiscard]] static Outcome call_branch(Branch& branch, const Call& call);

  // Expires at the end of the pass: user code may keep objects of the pass for longer.
  [[nodiscard]] std::weak_ptr<const bool> this_pass() const { return this_pass_; }

  [[nodiscard]] const core::RunId& run_id() const { return run_id_; }
  [[nodiscard]] const std::string& queue() const { return claimed_.task.queue; }
  [[nodiscard]] core::TimePoint began_at() const { return claimed_.task.created_at; }
  [[nodiscard]] std::stop_token stop_token() const { return stop_token_.token(); }
  [[nodiscard]] std::stop_token stop_token_of(const Branch& branch) const;

 private:
  struct Undo {
    std::string id = {};
    std::int64_t sequence = 0;  // higher ones are undone first
    StepPolicy retry = {};
    std::function<void(Step&)> call = {};
    SqlCall sql = {};  // instead of `call`; if neither is set, the code did not reach the undo again
  };

  // Registers this thread as waiting for other branches, with its condition. With the lock held.
  class WaitingThread {
   public:
    WaitingThread(Body& body, const std::function<bool()>& goes_on);
    WaitingThread(const WaitingThread&) = delete;
    WaitingThread& operator=(const WaitingThread&) = delete;
    ~WaitingThread();

   private:
    Body& body_;
    const std::function<bool()>* goes_on_;
  };

  // body.cpp
  // Reads the steps that the claim did not carry. Returns false if the body cannot run here.
  [[nodiscard]] bool has_read_memo();
  void pass(const WorkflowHandler& handler);
  void judge(const Branch& main, Outcome outcome);
  [[nodiscard]] bool has_failed();  // the last pass failed, or the run was stopped
  [[nodiscard]] std::optional<bool> report(const Outcome& outcome);
  [[nodiscard]] bool has_suspended();  // false: the awaited event has happened already
  // False: the run must stop, so it cannot wait for another version of its code.
  [[nodiscard]] bool has_parked();
  [[nodiscard]] Outcome failure_to_report() const;

  // body_branches.cpp
  [[nodiscard]] Outcome checked_end(Branch& line, Outcome outcome);
  // Why a branch that ended with `outcome` differs from the run's history.
  [[nodiscard]] static std::string missed_by(const std::string& expected, const Outcome& outcome,
                                             std::string_view line);
  // Checks a step that is not in the history. Waits until the enclosing branches have reached all of their
  // recorded steps, and parks the run if they cannot.
  void check_is_new(Branch& branch, const std::string& id);
  [[nodiscard]] std::optional<std::string> missed_around(const Branch& branch) const;
  [[nodiscard]] bool nothing_moves() const;  // with the lock held
  [[noreturn]] void park_for(Branch& branch, std::string why);

  // body_threads.cpp
  void run_branches();  // on its own thread
  void run_here(LocalRun& run);
  // With the lock held.
  void start_thread();
  [[nodiscard]] bool may_start_thread() const;
  [[nodiscard]] std::size_t threads_max() const;

  // body_steps.cpp
  // Parks the run if the history has a different step there.
  void come_to_new(Branch& branch, const Issued& issued, Order order);
  // Repeats attempts until the step has ended. `attempt` makes the attempt with that number and writes its
  // outcome.
  [[nodiscard]] std::string repeat(Branch& branch, const Issued& issued,
                                   const std::function<core::StepMemo(int)>& attempt);
  // Returns the step with its output, which is read from the store if it is not in memory.
  [[nodiscard]] core::StepMemo recall(Branch& branch, core::StepMemo memo);
  struct Attempted {
    Outcome outcome = {};
    int number = 0;
    core::Duration took = {};
  };
  [[nodiscard]] core::StepMemo write_cancel(Branch& branch, const Issued& issued);
  [[nodiscard]] bool is_to_be_canceled(const Branch& branch);
  [[nodiscard]] core::StepMemo write_outcome(Branch& branch, const Issued& issued,
                                             const core::RetryPolicy& retry, const Attempted& attempted);
  // Writes until the store accepts or rejects. The problem of a rejection concerns the written data.
  [[nodiscard]] core::Result<core::StepsWritten> write(Branch& branch, const core::WriteSteps& command);
  // Like write(), but makes the command anew for each try, so that no caller keeps a copy of it.
  template <typename Make>
  [[nodiscard]] core::Result<core::StepsWritten> write_made(Branch& branch, const Make& make);
  // Waits a moment and returns whether to retry; unwinds if the body must end.
  [[nodiscard]] bool may_try_again(Branch& branch, const core::Problem& problem, core::Duration& wait);
  [[nodiscard]] core::WriteSteps command_of(std::vector<core::StepWrite> steps) const;
  void add_undos(core::WriteSteps& command);
  void forget_declared(const std::vector<std::string>& undos);  // they are stored
  [[nodiscard]] static Failure failure_of(const core::Problem& problem);

  // body_attempts.cpp
  struct StepAttempt {
    const Issued& issued;
    const StepPolicy& policy;
    int number = 1;
  };
  [[nodiscard]] Attempted run_attempt(Branch& branch, const StepAttempt& of, const StepCall& call);
  // The state of this attempt, for the step's function.
  [[nodiscard]] StepState state_of(const Issued& issued, int number, std::stop_token stop) const;
  [[nodiscard]] static core::TaskError timeout_error(core::Duration timeout);
  // The write that shows the step as started, and the function that gives a hanging attempt up.
  [[nodiscard]] core::WriteSteps begun(const StepAttempt& of, core::Duration took) const;
  [[nodiscard]] std::function<void()> giving_up(const StepAttempt& of) const;

  // body_waits.cpp
  using Refuse = std::function<void(const core::StepWrite&, const core::Problem&)>;
  void keep_refused(const core::StepWrite& step, const core::Problem& problem);
  // Writes as many steps at a time as a server accepts. After a rejection, finds the rejected step by
  // halving.
  using Await = std::optional<core::AwaitSteps>;
  void begin_all(Branch& branch, std::vector<core::StepWrite> steps, const Refuse& refuse,
                 const Await& await = {});
  void begin_some(Branch& branch, std::vector<core::StepWrite> steps, const Refuse& refuse,
                  const Await& await);
  [[nodiscard]] bool may_wait_here() const;
  [[nodiscard]] bool may_await_alone();
  [[nodiscard]] std::vector<Issued> not_ended(const std::vector<Issued>& steps) const;
  void wait_until(Branch& branch, core::TimePoint due);
  void wait_here(Branch& branch, core::Duration wait);
  [[nodiscard]] core::TimePoint store_time();
  void note_answer(const core::StepsWritten& written);
  [[nodiscard]] std::optional<core::StopReason> stop_reason(worker::LeaseState lease);
  [[nodiscard]] bool is_paused();
  // Whether nothing new may begin.
  [[nodiscard]] bool is_ending() { return undo_at_ || stop_reason(services_.lease.state()); }

  // body_transaction.cpp
  struct SqlStep {
    const Issued& issued;
    const StepPolicy& policy;
    const SqlCall& call;
  };
  [[nodiscard]] core::StepMemo transact(Branch& branch, const SqlStep& step, int number);
  [[nodiscard]] core::StepMemo as_it_stands(Branch& branch, const Issued& issued);
  struct SqlAttempt {
    const SqlStep& step;
    int number = 1;
    std::stop_token stop = {};
  };
  [[nodiscard]] std::optional<core::WriteSteps> work_out(const SqlAttempt& attempt, store::Sql& sql,
                                                         Outcome& outcome) const;

  // body_undo.cpp
  [[noreturn]] void undo_here(Branch& branch);
  void wait_for_outside(Branch& branch);  // suspends if tasks or children have not ended
  [[nodiscard]] std::vector<std::string> undos_to_declare();
  void declare_undos();                          // before the lease is released
  [[nodiscard]] std::vector<Undo> take_undos();  // to be run from the last to the first
  void undo(Branch& branch, const Undo& undo);
  void register_undo(Branch& branch, Undo undo);
  // Whether the body must run once more for its undos.
  [[nodiscard]] bool has_planned_undoing();
  void give_up_undoing();

  BodyServices services_;
  const core::ClaimedTask& claimed_;
  core::RunId run_id_;
  Memo memo_;
  LeaseStop stop_token_;

  std::shared_ptr<const bool> this_pass_ = {};  // the only owner; others hold weak pointers

  // How the last pass ended.
  Ending ending_ = Ending::none;
  Outcome outcome_ = {};
  int calls_ = 0;  // calls of the main branch
  std::string parked_because_ = {};
  std::string next_input_ = {};  // of the run that replaces this one

  // The undos, and how far they are.
  std::optional<int> undo_at_ = {};      // the call of the main branch in which the undos run
  std::vector<Undo> planned_ = {};       // registered by the failed pass, without their functions
  std::optional<Outcome> failure_ = {};  // the failure that started the undos; none: the run was stopped
  bool is_undoing_ = false;

  std::mutex beginning_;  // held while requested steps begin
  std::mutex mutex_;      // guards the members below
  std::condition_variable branch_ended_;
  int branches_ = 0;  // concurrent branches that run or wait for a thread
  // Conditions of the waiting threads: whether each may continue.
  std::vector<const std::function<bool()>*> waiting_{};
  std::deque<LocalRun*> queued_;           // waiting for a thread
  std::condition_variable branch_queued_;  // wakes the threads of the branches
  std::vector<std::thread> threads_;       // run the branches
  std::size_t idle_threads_ = 0;           // waiting for a branch
  std::size_t active_ = 0;                 // branches on these threads that do not wait for others
  std::size_t run_here_ = 0;               // branches that the thread of another branch runs
  bool has_no_more_threads_ = false;       // the system could not start one
  bool are_threads_ending_ = false;
  bool is_winding_down_ = false;
  std::vector<Undo> undos_;
  std::vector<std::string> undeclared_;  // undos that no write has declared yet
  std::vector<Waiting> waits_;
  std::vector<core::StepWrite> unsent_;
  std::optional<Outcome> unawaited_failure_;
  Ending unawaited_ending_ = Ending::none;
  std::optional<core::StopReason> stop_;
  bool is_paused_ = false;  // the run is paused: nothing new begins
  std::optional<std::string> status_;
  core::TimePoint store_time_;
  core::MonotonicTime store_time_at_;
};

}  // namespace pawl::detail
