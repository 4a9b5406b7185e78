#pragma once
// One line of a workflow: the function itself (the main branch), or a lambda that runs beside it. Used by its
// own thread only.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/step.hpp"

namespace pawl::detail {

class Body;

// Why a branch is being unwound; where several are, for the one that stands last.
enum class Ending : std::uint8_t {
  none,
  continued,  // another run takes the place of this one
  suspended,  // it waits for something that takes long
  released,   // the worker is going: somebody else goes on
  stopped,    // nothing more is to be done
  undone,     // and what was done is undone
  parked,     // the code is not the one that the run was begun with
  lost,       // somebody else may have it already
};

// Whether anybody may still ask for what a branch gives; nobody does where nobody asks for the one that it is
// within. Any thread.
class Interest {
 public:
  explicit Interest(std::shared_ptr<const Interest> of) : of_(std::move(of)) {}
  void lose() { is_lost_ = true; }
  [[nodiscard]] bool is_lost() const { return is_lost_ || (of_ && of_->is_lost()); }
  // The workflow canceled it: a step that fails then is written as canceled.
  void cancel() {
    is_canceled_ = true;
    lose();
  }
  [[nodiscard]] bool is_canceled() const { return is_canceled_ || (of_ && of_->is_canceled()); }

 private:
  std::shared_ptr<const Interest> of_;  // shared by all branches within the same; null: the main one
  std::atomic<bool> is_lost_ = false;
  std::atomic<bool> is_canceled_ = false;
};

class Branch {
 public:
  Branch(Body& of, std::string names_begin_with, core::TimePoint time)
      : body(of), prefix(std::move(names_begin_with)), now(time) {}
  // Beside `owner`, from where that stands.
  Branch(const Branch& owner, std::string names_begin_with)
      : body(owner.body),
        prefix(std::move(names_begin_with)),
        now(owner.now),
        sequence(owner.sequence),
        around(owner.around),
        stop(owner.stop),
        interest(std::make_shared<Interest>(owner.interest)) {}

  // What ended, as far as the code knows.
  void note(const core::StepMemo& step) {
    if (step.finished_at && *step.finished_at > now) now = *step.finished_at;
    if (step.sequence > sequence) sequence = step.sequence;
  }
  [[nodiscard]] bool is_abandoned() const { return interest && interest->is_lost(); }
  [[nodiscard]] bool is_canceled() const { return interest && interest->is_canceled(); }

  Body& body;
  std::string prefix;  // of the names of its steps
  bool is_main = false;
  bool is_line = false;   // its steps are all that begin with its prefix
  bool is_known = false;  // some of them, or the one that it is for, were there before
  core::TimePoint now;
  std::int64_t sequence = 0;  // of the last step that it came to
  std::map<std::string, int, std::less<>> uses = {};
  int draws = 0;  // of uuid and random
  int calls = 0;  // of the workflow, in this pass
  Ending ending = Ending::none;
  bool is_swallowed = false;                // it was used after that
  std::vector<std::string> around = {};     // the lines that have to be where they were before it goes on
  std::stop_token stop = {};                // of a lambda beside; none: the body's
  std::shared_ptr<Interest> interest = {};  // shared with those within it, which may end later; null: main
};

}  // namespace pawl::detail
