#pragma once
// What stands behind a pawl::Pending: a step that ends by itself somewhere, or a branch that runs on a thread
// of its own here. Used by the branch that it belongs to.

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sdk/body.hpp"
#include "sdk/linked_stop.hpp"

namespace pawl::detail {

// How one that ended by itself is read: its output, or StepFailed.
[[nodiscard]] std::string given_by(const core::StepMemo& memo);
// The same of a promise, whose signal says how it ended.
[[nodiscard]] std::string given_by_promise(const core::StepMemo& memo);
// Of a signal that is waited for: {"value": …}, or null where its time has passed.
[[nodiscard]] std::string given_by_signal(const core::StepMemo& memo);

// A branch that runs beside its owner, on a thread of the body.
class LocalRun {
 public:
  LocalRun(Branch branch, std::function<std::string(Branch&)> call);
  LocalRun(const LocalRun&) = delete;
  LocalRun& operator=(const LocalRun&) = delete;
  ~LocalRun();  // waits for its end

  // What it gave. Where it was unwound, so is `owner`, for the same reason.
  [[nodiscard]] std::string await(Branch& owner);
  // Nobody has to ask for it: how it ends is of no matter then.
  void let_go() { is_let_go_ = true; }
  [[nodiscard]] bool is_let_go() const { return is_let_go_; }
  // Nobody will: it ends with the next thing that it had not done before.
  void abandon();
  // The same, and its stop token fires.
  void cancel();

  // For the body.
  void run();
  void note_started() { is_started_ = true; }                    // with the lock of the body held
  [[nodiscard]] bool is_queued() const { return !is_started_; }  // the same
  [[nodiscard]] const std::string& prefix() const { return branch_.prefix; }
  [[nodiscard]] bool is_line() const { return branch_.is_line; }

  // Its pass is over, and with it all that it belongs to.
  [[nodiscard]] bool is_left_over() const { return pass_.expired(); }

  // With the lock of the body held.
  [[nodiscard]] bool is_done() const { return is_done_; }
  [[nodiscard]] bool has_given() const {
    return is_done_ && (outcome_.kind != Outcome::Kind::unwound || was_canceled());
  }
  // Of one that is done.
  [[nodiscard]] std::int64_t sequence() const { return branch_.sequence; }
  [[nodiscard]] Ending ending() const { return branch_.ending; }
  // The workflow canceled it before it had given anything.
  [[nodiscard]] bool was_canceled() const {
    return branch_.is_canceled() && branch_.ending <= Ending::stopped;
  }

 private:
  Body& body_;
  std::weak_ptr<const bool> pass_;
  Branch branch_;
  LinkedStop stop_;
  std::function<std::string(Branch&)> call_;
  bool is_started_ = false;  // under the lock of the body
  bool is_done_ = false;     // the same
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
  // The same without its write, which the next one sends along.
  void cancel_soon();
  // The place in the record of its end; none where `await` would not give or throw at once. For a remote one
  // by what is known.
  [[nodiscard]] std::optional<std::int64_t> ended_at();
  [[nodiscard]] const std::optional<Issued>& remote() const { return remote_; }
  [[nodiscard]] LocalRun* local() const { return local_.get(); }

 private:
  Branch& owner_;
  std::optional<Issued> remote_ = {};
  Read read_ = {};
  int exceptions_ = std::uncaught_exceptions();  // under way when it was made
  std::unique_ptr<LocalRun> local_ = {};
};

// Ends of several, by their places.
[[nodiscard]] std::vector<std::string> await_each(Branch& branch, const std::vector<SharedPending>& pendings);
// The first by the record of those that have ended.
[[nodiscard]] std::size_t await_first(Branch& branch, const std::vector<SharedPending>& pendings);

// Calls each of `count`, on `parallel` threads; what they gave, in order.
struct Fan {
  std::size_t count = 0;
  std::size_t parallel = 1;
  // Throws Unwind where the one could not be done now; the branch is the thread's.
  std::function<std::string(Branch&, std::size_t)> call = {};
};
[[nodiscard]] std::vector<std::string> fan_out(Branch& branch, const Fan& fan);

}  // namespace pawl::detail
