#pragma once
// What stands behind a pawl::Pending: a step that ends by itself somewhere, or a branch that runs on a thread
// of its own here. Used by the branch that it belongs to.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sdk/body.hpp"

namespace pawl::detail {

// How one that ended by itself is read: its output, or StepFailed.
[[nodiscard]] std::string given_by(const core::StepMemo& memo);
// The same of a promise, whose signal says how it ended.
[[nodiscard]] std::string given_by_promise(const core::StepMemo& memo);

// A branch on its own thread.
class LocalRun {
 public:
  LocalRun(Body& body, std::string prefix, core::TimePoint now, std::function<std::string(Branch&)> call);
  LocalRun(const LocalRun&) = delete;
  LocalRun& operator=(const LocalRun&) = delete;
  ~LocalRun();  // waits for its end

  // What it gave. Where it was unwound, so is `owner`, for the same reason.
  [[nodiscard]] std::string await(Branch& owner);
  [[nodiscard]] bool has_given();  // or failed
  [[nodiscard]] bool has_given_unlocked() const {
    return is_done_ && outcome_.kind != Outcome::Kind::unwound;
  }
  void abandon() { branch_.is_abandoned = true; }

 private:
  Body& body_;
  Branch branch_;
  std::function<std::string(Branch&)> call_;
  bool is_done_ = false;  // under the lock of the body
  bool is_awaited_ = false;
  Outcome outcome_ = {};
  std::thread thread_;  // last: it uses all of the above
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
  // Whether `await` would give or throw at once; for a remote one by what is known.
  [[nodiscard]] bool has_ended();
  // Of one that runs here; with the lock of the body held.
  [[nodiscard]] bool is_done_here() const { return local_ && local_->has_given_unlocked(); }
  [[nodiscard]] const std::optional<Issued>& remote() const { return remote_; }
  [[nodiscard]] Branch& owner() const { return owner_; }

 private:
  Branch& owner_;
  std::optional<Issued> remote_ = {};
  Read read_ = {};
  std::unique_ptr<LocalRun> local_ = {};
};

// Ends of several, by their places.
[[nodiscard]] std::vector<std::string> await_each(Branch& branch, const std::vector<SharedPending>& pendings);
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
