#pragma once
// The known steps of a run while its body replays them: which steps the history has, and which of them the
// code has reached in this pass. Thread-safe.
//
// A step belongs to the branch that its name begins with: "thumbnails/resize" belongs to "thumbnails/".
//
// The outputs use at most `bytes_max` of memory. Beyond that a step is kept without its output, and
// Body::recall reads the output when it is needed.

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/step.hpp"

namespace pawl::detail {

class Memo {
 public:
  Memo(const core::BodyMemo* kept, std::size_t bytes_max);

  // Adds further steps that existed when the body was claimed.
  void add(const std::vector<core::StepMemo>& steps);
  // Whether the step has an output that is not in memory.
  [[nodiscard]] bool is_dropped(const std::string& id) const;

  // Returns the step's known state, and marks the step as reached by the code.
  [[nodiscard]] std::optional<core::StepMemo> consume(const std::string& id);
  [[nodiscard]] std::optional<core::StepMemo> find(const std::string& id) const;
  // Stores the new state of a step that the code has reached.
  void keep(const core::StepMemo& step);
  // Whether the known state of an unfinished step is from an earlier pass.
  [[nodiscard]] bool is_old(const std::string& id) const;

  // Marks the branch with this prefix as reached by the code. Returns false if the history has none of its
  // steps.
  bool come_to_branch(const std::string& branch);
  // The first recorded step of the branch that the code has not reached. Includes the steps of an inner
  // branch as long as the code has not reached that branch. Excludes markers and compensations.
  [[nodiscard]] std::optional<std::string> first_expected(const std::string& branch) const;
  // The unfinished remote steps of the branch and of its inner branches.
  [[nodiscard]] std::vector<core::StepMemo> open_within(const std::string& branch) const;
  // Whether any undo was begun.
  [[nodiscard]] bool has_compensations() const;
  // Tasks and children that had not ended when their state was last read.
  [[nodiscard]] std::vector<std::string> live_outside() const;

  // Begins a new pass.
  void rewind();

 private:
  struct Entry {
    core::StepMemo step = {};
    bool is_consumed = false;
    bool is_old = false;
    bool is_dropped = false;
  };
  [[nodiscard]] static bool is_expected(const core::StepMemo& step);
  [[nodiscard]] static std::string branch_of(const std::string& id);
  // With the lock held.
  void put(Entry& entry, const core::StepMemo& step);
  void expect(const std::string& id);
  [[nodiscard]] bool is_missed(const std::string& id, const std::string& branch) const;

  mutable std::mutex mutex_;
  const std::size_t bytes_max_;
  std::size_t bytes_ = 0;  // of the outputs in memory
  std::map<std::string, Entry> entries_;
  std::map<std::string, bool> branches_;  // those in the history: whether the code has reached them
  // By branch: number of steps and inner branches that the code has not reached.
  std::map<std::string, int> expected_;
};

}  // namespace pawl::detail
