#pragma once
// What is known of the steps of a run, as its body goes through them again: which were there, and which of
// those the code has come to in this pass. Any thread.
//
// A step belongs to the branch that its name begins with: "thumbnails/resize" to "thumbnails/".
//
// The outputs take at most `bytes_max` of memory. Beyond that a step is known without its output, which is
// read again where it is needed (Body::recall).

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/step.hpp"

namespace pawl::detail {

class Memo {
 public:
  Memo(const core::BodyMemo* kept, std::size_t bytes_max);

  // More of the steps that were there when the body was claimed.
  void add(const std::vector<core::StepMemo>& steps);
  // The step has an output that is not here.
  [[nodiscard]] bool is_dropped(const std::string& id) const;

  // As it stands, and the code has come to it.
  [[nodiscard]] std::optional<core::StepMemo> consume(const std::string& id);
  [[nodiscard]] std::optional<core::StepMemo> find(const std::string& id) const;
  // What was just learnt of a step that the code has come to.
  void keep(const core::StepMemo& step);
  // Whether what is known of a step that waits is from an earlier pass.
  [[nodiscard]] bool is_old(const std::string& id) const;

  // The code has come to the branch whose steps begin so. False: none of them was there.
  bool come_to_branch(const std::string& branch);
  // The first step of the branch that was done before and that the code has not come to; also of a branch
  // within it, as long as the code has not come to that. Markers and compensations are not expected.
  [[nodiscard]] std::optional<std::string> first_expected(const std::string& branch) const;
  // The steps of the branch, and of the branches within it, that have begun and end by themselves.
  [[nodiscard]] std::vector<core::StepMemo> open_within(const std::string& branch) const;
  // Whether any undo was begun.
  [[nodiscard]] bool has_compensations() const;
  // Tasks and children that had not ended when the body last heard of them.
  [[nodiscard]] std::vector<std::string> live_outside() const;

  // The code begins anew.
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
  std::size_t bytes_ = 0;  // of the outputs that are here
  std::map<std::string, Entry> entries_;
  std::map<std::string, bool> branches_;  // that were there: whether the code has come to them
  std::map<std::string, int> expected_;   // by branch: how many steps and branches the code has not come to
};

}  // namespace pawl::detail
