#pragma once
// One line of a workflow: the function itself (the main branch), or a lambda that runs beside it. Used by its
// own thread only.

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/step.hpp"

namespace pawl::detail {

class Body;

// Why a branch is being unwound.
enum class Ending : std::uint8_t {
  none,
  suspended,  // it waits for something that takes long
  parked,     // the code is not the one that the run was begun with
  stopped,    // nothing more is to be done
  undone,     // and what was done is undone
  released,   // the worker is going: somebody else goes on
  lost,       // somebody else may have it already
};

class Branch {
 public:
  Branch(Body& of, std::string names_begin_with, core::TimePoint time)
      : body(of), prefix(std::move(names_begin_with)), now(time) {}

  // What ended, as far as the code knows.
  void note(const core::StepMemo& step) {
    if (step.finished_at && *step.finished_at > now) now = *step.finished_at;
    if (step.sequence > sequence) sequence = step.sequence;
  }

  Body& body;
  std::string prefix;  // of the names of its steps
  bool is_main = false;
  core::TimePoint now;
  std::int64_t sequence = 0;  // of the last step that it came to
  std::map<std::string, int, std::less<>> uses = {};
  int draws = 0;  // of uuid and random
  int calls = 0;  // of the workflow, in this pass
  Ending ending = Ending::none;
  bool is_swallowed = false;                    // it was used after that
  std::optional<std::string> running_key = {};  // while a step's function runs
  std::atomic<bool> is_abandoned = false;       // whoever waited for it failed
};

}  // namespace pawl::detail
