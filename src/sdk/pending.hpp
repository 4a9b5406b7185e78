#pragma once
// The state behind a pawl::Pending: a remote step, which the engine ends, or a branch that runs on a thread
// of the body. Only the branch that owns it uses it.

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sdk/body.hpp"
#include "sdk/linked_stop.hpp"

namespace pawl::detail {

// Reads the result of a remote step that has ended: returns its output or throws StepFailed.
[[nodiscard]] std::string given_by(const core::StepMemo& memo);
// The same for a promise, whose signal carries the outcome.
[[nodiscard]] std::string given_by_promise(const core::StepMemo& memo);
// The same for a signal wait: {"value": …}, or null if it timed out.
[[nodiscard]] std::string given_by_signal(const core::StepMemo& memo);

// A branch that runs concurrently with its owner, on a thread of the body.
class LocalRun {
 public:
  LocalRun(Branch branch, std::function<std::string(Branch&)> call);
  LocalRun(const LocalRun&) = delete;
  LocalRun& operator=(const LocalRun&) = delete;
  ~LocalRun();  // waits for its end

  // Waits for its result. If it was unwound, unwinds `owner` for the same reason.
  [[nodiscard]] std::string await(Branch& owner);
  // Its result is no longer required: its outcome does not affect the run.
  void let_go() { is_let_go_ = true; }
  [[nodiscard]] bool is_let_go() const { return is_let_go_; }
  // Its result will not be used: it ends at its next step that has no stored result.
  void abandon();
  // Abandons it, and its stop token fires.
  void cancel();

  // Used by the body.
  void run();
  void note_started() { is_started_ = true; }                    // with the body's lock held
  [[nodiscard]] bool is_queued() const { return !is_started_; }  // with the body's lock held
  [[nodiscard]] const std::string& prefix() const { return branch_.prefix; }
  [[nodiscard]] bool is_line() const { return branch_.is_line; }

  // Its pass is over, and the objects that it refers to are gone.
  [[nodiscard]] bool is_left_over() const { return pass_.expired(); }

  // With the body's lock held.
  [[nodiscard]] bool is_done() const { return is_done_; }
  [[nodiscard]] bool has_given() const {
    return is_done_ && (outcome_.kind != Outcome::Kind::unwound || was_canceled());
  }
  // Valid once it is done.
  [[nodiscard]] std::int64_t sequence() const { return branch_.sequence; }
  [[nodiscard]] Ending ending() const { return branch_.ending; }
  // The workflow canceled it before it returned a result.
  [[nodiscard]] bool was_canceled() const {
    return branch_.is_canceled() && branch_.ending <= Ending::stopped;
  }

 private:
  Body& body_;
  std::weak_ptr<const bool> pass_;
  Branch branch_;
  LinkedStop stop_;
  std::function<std::string(Branch&)> call_;
  bool is_started_ = false;  // guarded by the body's lock
  bool is_done_ = false;     // guarded by the body's lock
  bool is_awaited_ = false;
  bool is_let_go_ = false;
  Outcome outcome_ = {};
};

class PendingState {
 public:
  using Read = std::function<std::string(const core::StepMemo&)>;

  PendingState(Branch& owner, Issued remote, Read read)
      : owner_(owner), remote_(std::move(remote)), read_(std::move(read)) {}
  PendingState(Branch& owner, std::unique_ptr<LocalRun> local) : owner_(owner), local_(std::move(local)) {}
  PendingState(const PendingState&) = delete;
  PendingState& operator=(const PendingState&) = delete;
  ~PendingState();

  [[nodiscard]] std::string await();
  void cancel();
  // Like cancel(), but the next write of the body carries the cancellation.
  void cancel_soon();
  // The sequence of its end in the record; nothing if `await` would not return or throw immediately. For a
  // remote step by its last known state.
  [[nodiscard]] std::optional<std::int64_t> ended_at();
  [[nodiscard]] const std::optional<Issued>& remote() const { return remote_; }
  [[nodiscard]] LocalRun* local() const { return local_.get(); }

 private:
  Branch& owner_;
  std::optional<Issued> remote_ = {};
  Read read_ = {};
  int exceptions_ = std::uncaught_exceptions();  // in flight at the construction
  std::unique_ptr<LocalRun> local_ = {};
};

// Waits for all of them and returns their results in order.
[[nodiscard]] std::vector<std::string> await_each(Branch& branch, const std::vector<SharedPending>& pendings);
// Waits for one of them to end and returns the index of the first by the record.
[[nodiscard]] std::size_t await_first(Branch& branch, const std::vector<SharedPending>& pendings);

// Runs `call` for each of `count` items on `parallel` threads and returns the results in order.
struct Fan {
  std::size_t count = 0;
  std::size_t parallel = 1;
  // Throws Unwind if the item cannot finish now. The branch is the one of the thread.
  std::function<std::string(Branch&, std::size_t)> call = {};
};
[[nodiscard]] std::vector<std::string> fan_out(Branch& branch, const Fan& fan);

}  // namespace pawl::detail
