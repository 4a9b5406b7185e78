#pragma once
// One branch of a workflow: the function itself (the main branch), or a lambda that runs concurrently. Only
// its own thread uses it.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/run/step.hpp"

namespace pawl::detail {

class Body;

// Why a branch is being unwound. If several branches are, the last of their reasons in this list counts.
enum class Ending : std::uint8_t {
  none,
  continued,  // another run replaces this one
  suspended,  // it waits for a long time
  released,   // the worker stops: another worker continues
  stopped,    // nothing more may begin
  undone,     // stopped, and the undos have run
  parked,     // the code differs from the run's history
  lost,       // another worker may hold the task already
};

// Whether the result of a branch may still be needed. It is not if the result of the enclosing branch is not.
// Thread-safe.
class Interest {
 public:
  explicit Interest(std::shared_ptr<const Interest> of) : of_(std::move(of)) {}
  void lose() { is_lost_ = true; }
  [[nodiscard]] bool is_lost() const { return is_lost_ || (of_ && of_->is_lost()); }
  // The workflow canceled the branch: a step that fails afterwards is written as canceled.
  void cancel() {
    is_canceled_ = true;
    lose();
  }
  [[nodiscard]] bool is_canceled() const { return is_canceled_ || (of_ && of_->is_canceled()); }

 private:
  // The enclosing branch's interest, shared by all branches within it; null: directly in the main branch.
  std::shared_ptr<const Interest> of_;
  std::atomic<bool> is_lost_ = false;
  std::atomic<bool> is_canceled_ = false;
};

class Branch {
 public:
  Branch(Body& of, std::string names_begin_with, core::TimePoint time)
      : body(of), prefix(std::move(names_begin_with)), now(time) {}
  // A branch concurrent to `owner` that begins at the owner's position.
  Branch(const Branch& owner, std::string names_begin_with)
      : body(owner.body),
        prefix(std::move(names_begin_with)),
        now(owner.now),
        sequence(owner.sequence),
        around(owner.around),
        stop(owner.stop),
        interest(std::make_shared<Interest>(owner.interest)) {}

  // Moves the branch's time and sequence forward to those of a step that has ended.
  void note(const core::StepMemo& step) {
    if (step.finished_at && *step.finished_at > now) now = *step.finished_at;
    if (step.sequence > sequence) sequence = step.sequence;
  }
  [[nodiscard]] bool is_abandoned() const { return interest && interest->is_lost(); }
  [[nodiscard]] bool is_canceled() const { return interest && interest->is_canceled(); }

  Body& body;
  std::string prefix;  // of the names of its steps
  bool is_main = false;
  bool is_line = false;   // all steps that begin with its prefix are its own
  bool is_known = false;  // the history has some of its steps, or the step that it runs
  core::TimePoint now;
  std::int64_t sequence = 0;  // of the last step that it reached
  std::map<std::string, int, std::less<>> uses = {};
  int draws = 0;  // calls of uuid and random
  int calls = 0;  // calls of the workflow in this pass
  Ending ending = Ending::none;
  bool is_swallowed = false;  // the workflow was used after the unwinding began
  // The branches that must reach their recorded steps before this one begins something new.
  std::vector<std::string> around = {};
  std::stop_token stop = {};  // of a concurrent lambda; without one: the body's
  // Shared with inner branches, which may end later; null: main branch.
  std::shared_ptr<Interest> interest = {};
};

}  // namespace pawl::detail
