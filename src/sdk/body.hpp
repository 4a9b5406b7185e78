#pragma once
// One claim of a workflow's body: runs its function over what is known of its steps, does what is not, and
// ends by a report, a suspension or nothing. body.cpp has the passes and the ends, body_branches.cpp the
// threads, body_steps.cpp the steps, body_attempts.cpp one attempt, body_waits.cpp the waits,
// body_transaction.cpp the steps with a user's own database, body_undo.cpp what is undone.
//
// The function is run in passes. A pass that must wait long is unwound whole before the body is suspended, so
// that code that swallows the unwinding is caught while the lease is still held. A pass that fails with
// something to undo is run once more up to the last call that it made, where all that the undos refer to is
// there again; they run there, when the branches have come as far as they were.

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

// A step that the code has come to.
struct Issued {
  std::string id = {};
  core::StepKind kind = core::StepKind::function;
  std::optional<core::StepMemo> memo = {};  // as it stood then
  core::StepWrite begin = {};               // of one that ends by itself
};

// Whether a step is done before the code goes on, so that none behind it can be known if it is not.
// `begun_soon`: that is looked at when it is said how it begins.
enum class Order : std::uint8_t { in_line, beside, begun_soon };

// Where in a call what is to be undone is undone, if it is the last one: before all else, or where the call
// says, since it registers what else there is to undo.
enum class UndoPlace : std::uint8_t { at_once, where_called };

// How a step is repeated, and how long one attempt may take.
struct StepPolicy {
  StepPolicy(core::RetryPolicy retries = {},
             std::optional<core::Duration> time = {})  // NOLINT: also implicit
      : retry(std::move(retries)), timeout(time) {}

  core::RetryPolicy retry;
  std::optional<core::Duration> timeout;
};

// Before a refused call is tried again; doubled each time.
inline constexpr core::Duration kFirstRetry = std::chrono::milliseconds{20};

struct BodyServices {
  Connection& connection;
  Reporter& reporter;
  worker::Lease& lease;
  core::Duration suspend_after = {};
  std::function<bool()> is_draining = {};
  // The worker can run something else beside this body, which may so keep its thread while it waits.
  std::function<bool()> has_free_slot = {};
  std::size_t branch_threads = 1;                                        // for its lambdas
  std::size_t memo_bytes_max = std::numeric_limits<std::size_t>::max();  // of outputs kept in memory
  AttemptWatch* attempts = nullptr;                                      // null where a history is replayed
  // Called from another thread when a step ignores its stop token: the lease ends, the thread is left behind.
  std::function<void(const std::string& what)> on_hung = {};
  // Set where a history is replayed: told of the first step that is not in it. Nothing new is done then.
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

  // Whether it completed; nothing where it has not ended.
  [[nodiscard]] std::optional<bool> run(const WorkflowHandler& handler);

  // --- for its branches, each on its own thread ---

  // Every use of the workflow begins so. Throws Unwind where the branch is being unwound.
  void enter(Branch& branch, UndoPlace undo = UndoPlace::at_once);
  // The next step of this name. Parks the run where another was expected.
  [[nodiscard]] Issued issue(Branch& branch, std::string_view name, core::StepKind kind,
                             Order order = Order::in_line);
  [[nodiscard]] Issued issue_id(Branch& branch, std::string id, core::StepKind kind,
                                Order order = Order::in_line);
  // The code has come to all of these at once: each of them may have ended before the others.
  void come_to(const std::vector<std::string>& ids);
  [[nodiscard]] std::string next_id(Branch& branch, std::string_view name);
  // Of a map's items: "name[0]" and so on, which no step of the branch may have been called by before.
  [[nodiscard]] std::vector<std::string> item_ids(Branch& branch, std::string_view name, std::size_t count);

  [[nodiscard]] std::string execute(Branch& branch, const Issued& issued, const StepPolicy& policy,
                                    const StepCall& call);
  // The same where the call and the write are one transaction of the database.
  using SqlCall = std::function<std::string(Step&, Sql&)>;
  [[nodiscard]] std::string execute_transaction(Branch& branch, const Issued& issued,
                                                const StepPolicy& policy, const SqlCall& call);
  // Of one that ends by itself: begins it before the next thing that takes time, with others like it. What
  // is refused has failed, and whoever asks for it is told.
  void begin_soon(Branch& branch, Issued& issued);
  void begin_now(Branch& branch, const std::optional<core::AwaitSteps>& await = {});
  // As it ended. Leaves the thread for what takes long.
  [[nodiscard]] core::StepMemo settle(Branch& branch, const Issued& issued);
  // Cancels it with the next write, if it has not ended; `cancel_within`: all that a branch has begun.
  void cancel_soon(const Issued& issued);
  void cancel_within(const std::string& prefix);
  // Asks again about those that had not ended when last heard of in another pass; `ask`: about all.
  void look_again(Branch& branch, const std::vector<Issued>& waiting);
  void ask(Branch& branch, const std::vector<Issued>& waiting,
           const std::optional<core::AwaitSteps>& await = {});
  // Keeps the thread while these are done elsewhere, for as long as a body may: until one has ended, or all.
  void await_here(Branch& branch, const std::vector<Issued>& waiting, bool wants_all);
  [[nodiscard]] std::optional<core::StepMemo> find(const std::string& id) const { return memo_.find(id); }

  // In the pass that undoes, the last call that the failed one made is where everything is there again.
  void undo_if_due(Branch& branch);
  void add_undo(Branch& branch, std::string_view name, const StepPolicy& policy,
                std::function<void(Step&)> call);
  // The undo and the write of its step are one transaction of the database.
  void add_undo_transaction(Branch& branch, std::string_view name, const StepPolicy& policy, SqlCall call);
  [[nodiscard]] std::string keep_marker(Branch& branch, const std::string& id, std::string value);
  [[nodiscard]] bool is_patched(Branch& branch, std::string_view name);
  // The same each time. Stored before the promise begins, so that no token is given out that a crash changes.
  [[nodiscard]] std::string promise_secret(Branch& branch, const Issued& issued);
  void set_status(Branch& branch, std::string status);
  [[noreturn]] void continue_as_new(Branch& branch, std::string input);

  struct Waiting {
    std::optional<core::TimePoint> until = {};
    std::vector<std::string> steps = {};
    bool wants_all = false;
    std::shared_ptr<const Interest> interest = {};  // of the branch that waits
    bool before_undoing = false;                    // for tasks and children to end
  };
  [[noreturn]] void suspend(Branch& branch, Waiting waiting);
  [[noreturn]] static void unwind(Branch& branch, Ending ending);
  // Ends the branch where nothing new is to be begun.
  void check_stop(Branch& branch);

  // Branches that run beside, and what they left that nobody asked for. They run on at most
  // `BodyServices::branch_threads` threads that do not wait for one another; the others are queued.
  void enqueue(LocalRun& run);
  void branch_ends(const std::function<void()>& change);
  // Runs it on this thread if it is still queued: its thread would wait for it otherwise.
  void run_if_queued(LocalRun& run);
  // Where no thread can be had for what is queued: a thread that waits runs it.
  [[nodiscard]] bool is_short_of_threads();
  // The code has come to a branch with steps of its own, or to a thread for a step of `owner`.
  void begin_line(Branch& line, const Branch& owner);
  static void begin_beside(Branch& beside, const Branch& owner, bool is_known);
  // Until it is enough, which is asked with the lock held; or so long.
  void wait_for_branches(const std::function<bool()>& is_enough);
  void wait_for_branches(const std::function<bool()>& is_enough, core::Duration at_most);
  void wait_for_all_branches();
  [[nodiscard]] bool is_true(const std::function<bool()>& condition);  // with the lock held
  // `is_let_go`: how it ended is of no matter to the run.
  void note_unawaited(const Outcome& outcome, Ending ending, bool is_let_go);
  [[nodiscard]] static Outcome call_branch(Branch& branch, const Call& call);

  // Gone when the pass is over: a user's code may keep what belongs to it for longer.
  [[nodiscard]] std::weak_ptr<const bool> this_pass() const { return this_pass_; }

  [[nodiscard]] const core::RunId& run_id() const { return run_id_; }
  [[nodiscard]] const std::string& queue() const { return claimed_.task.queue; }
  [[nodiscard]] core::TimePoint began_at() const { return claimed_.task.created_at; }
  [[nodiscard]] std::stop_token stop_token() const { return stop_token_.token(); }
  [[nodiscard]] std::stop_token stop_token_of(const Branch& branch) const;

 private:
  struct Undo {
    std::string id = {};
    std::int64_t sequence = 0;  // the later undone first
    StepPolicy retry = {};
    std::function<void(Step&)> call = {};
    SqlCall sql = {};  // instead of `call`; neither: the code did not come to it again
  };

  // While a thread waits for others, which then know for what. With the lock held.
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
  // The steps that the claim did not carry. False: the body cannot be run here.
  [[nodiscard]] bool has_read_memo();
  void pass(const WorkflowHandler& handler);
  void judge(const Branch& main, Outcome outcome);
  [[nodiscard]] bool has_failed();  // the last pass, or it was stopped
  [[nodiscard]] std::optional<bool> report(const Outcome& outcome);
  [[nodiscard]] bool has_suspended();  // false: what it would wait for is there
  [[nodiscard]] bool has_parked();  // false: it is to stop, and cannot wait for another version of its code
  [[nodiscard]] Outcome failure_to_report() const;

  // body_branches.cpp
  [[nodiscard]] Outcome checked_end(Branch& line, Outcome outcome);
  // Why a line that has ended so is not the one that the run was begun with.
  [[nodiscard]] static std::string missed_by(const std::string& expected, const Outcome& outcome,
                                             std::string_view line);
  // Something that was not done before: not as long as the lines around it have not come to all that was.
  void check_is_new(Branch& branch, const std::string& id);
  [[nodiscard]] std::optional<std::string> missed_around(const Branch& branch) const;
  [[nodiscard]] bool nothing_moves() const;  // with the lock held
  [[noreturn]] void park_for(Branch& branch, std::string why);

  // body_threads.cpp
  void run_branches();  // on a thread of its own
  void run_here(LocalRun& run);
  // With the lock held.
  void start_thread();
  [[nodiscard]] bool may_start_thread() const;
  [[nodiscard]] std::size_t threads_max() const;

  // body_steps.cpp
  // Parks the run where another was expected.
  void come_to_new(Branch& branch, const Issued& issued, Order order);
  // Until the step has ended: `attempt` does the one of that number and writes down how it went.
  [[nodiscard]] std::string repeat(Branch& branch, const Issued& issued,
                                   const std::function<core::StepMemo(int)>& attempt);
  // With its output, which is read if it is not in memory.
  [[nodiscard]] core::StepMemo recall(Branch& branch, core::StepMemo memo);
  struct Attempted {
    Outcome outcome = {};
    int number = 0;
  };
  [[nodiscard]] core::StepMemo write_cancel(Branch& branch, const Issued& issued);
  [[nodiscard]] bool is_to_be_canceled(const Branch& branch);
  [[nodiscard]] core::StepMemo write_outcome(Branch& branch, const Issued& issued,
                                             const core::RetryPolicy& retry, const Attempted& attempted);
  // Refused: the problem is one of what was written.
  [[nodiscard]] core::Result<core::StepsWritten> write(Branch& branch, const core::WriteSteps& command);
  // The same of what is made anew for each try, so that nobody has to keep a copy of it.
  template <typename Make>
  [[nodiscard]] core::Result<core::StepsWritten> write_made(Branch& branch, const Make& make);
  // After a moment, if it is worth another try; unwinds where the body is over.
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
  [[nodiscard]] Outcome run_attempt(Branch& branch, const StepAttempt& of, const StepCall& call);
  // The attempt of this number, for the step's function.
  [[nodiscard]] StepState state_of(const Issued& issued, int number, std::stop_token stop) const;
  [[nodiscard]] static core::TaskError timeout_error(core::Duration timeout);
  // The step as started; and the end of an attempt that does not stop.
  [[nodiscard]] core::WriteSteps begun(const StepAttempt& of) const;
  [[nodiscard]] std::function<void()> giving_up(const StepAttempt& of) const;

  // body_waits.cpp
  using Refuse = std::function<void(const core::StepWrite&, const core::Problem&)>;
  void keep_refused(const core::StepWrite& step, const core::Problem& problem);
  // As many at a time as a server takes at once; what is refused is looked for among the others.
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
  // Nothing new is done any more.
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
  void wait_for_outside(Branch& branch);  // leaves the thread where tasks or children have not ended
  [[nodiscard]] std::vector<std::string> undos_to_declare();
  void declare_undos();                          // before the lease is given back
  [[nodiscard]] std::vector<Undo> take_undos();  // the first to be done is the last
  void undo(Branch& branch, const Undo& undo);
  void register_undo(Branch& branch, Undo undo);
  // Whether the body is to be run once more for it.
  [[nodiscard]] bool has_planned_undoing();
  void give_up_undoing();

  BodyServices services_;
  const core::ClaimedTask& claimed_;
  core::RunId run_id_;
  Memo memo_;
  LeaseStop stop_token_;

  std::shared_ptr<const bool> this_pass_ = {};  // only here; others look whether it is there

  // How the last pass ended.
  Ending ending_ = Ending::none;
  Outcome outcome_ = {};
  int calls_ = 0;  // of the main branch
  std::string parked_because_ = {};
  std::string next_input_ = {};  // of the run that takes the place of this one

  // What is to be undone, and how far that is.
  std::optional<int> undo_at_ = {};      // the call of the main branch to do it in
  std::vector<Undo> planned_ = {};       // what the pass that failed had registered, without the calls
  std::optional<Outcome> failure_ = {};  // that it is undone for; none: the run is stopped
  bool is_undoing_ = false;

  std::mutex beginning_;  // held while what was asked for begins
  std::mutex mutex_;      // of all below
  std::condition_variable branch_ended_;
  int branches_ = 0;                                     // that run beside the main one, or wait for a thread
  std::vector<const std::function<bool()>*> waiting_{};  // threads for others: whether each may go on
  std::deque<LocalRun*> queued_;                         // for a thread
  std::condition_variable branch_queued_;                // for the threads of the branches
  std::vector<std::thread> threads_;                     // of the branches
  std::size_t idle_threads_ = 0;                         // that wait for a branch
  std::size_t active_ = 0;            // branches on these threads that do not wait for others
  std::size_t run_here_ = 0;          // branches that the thread of another runs
  bool has_no_more_threads_ = false;  // the system gave none
  bool are_threads_ending_ = false;
  bool is_winding_down_ = false;
  std::vector<Undo> undos_;
  std::vector<std::string> undeclared_;  // undos that no write has carried yet
  std::vector<Waiting> waits_;
  std::vector<core::StepWrite> unsent_;
  std::optional<Outcome> unawaited_failure_;
  Ending unawaited_ending_ = Ending::none;
  std::optional<core::StopReason> stop_;
  bool is_paused_ = false;  // the run: nothing new begins
  std::optional<std::string> status_;
  core::TimePoint store_time_;
  core::MonotonicTime store_time_at_;
};

}  // namespace pawl::detail
