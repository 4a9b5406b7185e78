#pragma once
// Decides whether a group waits for more commands before it begins. One thread at a time.
//
// Speed: on a slow disk, callers that wait for their replies split into two halves. One half is being flushed
// while the other half returns, so each flush carries half of what it could. The next group therefore begins
// after the replies of the last one, and waits a little for the next commands of the same callers. On a fast
// disk a group costs more than its flush, and executing a group during the last flush is better: there no
// group waits. A single caller never waits. It is correct because a wait has an end (`wait_ends_at`) and
// changes only when a group begins. Tests: tests/runtime/batch_delay_test.cpp. Figures: docs/adr/0029.

#include <cstddef>

#include "core/base/time.hpp"

namespace pawl::runtime {

class BatchDelay {
 public:
  // How long the last group took to execute.
  void note_work(core::Duration time) { work_ = average(work_, time); }
  // How long its flush took, how many answers it has, and how many commands are queued meanwhile.
  void note_flush(core::Duration time, std::size_t answers, std::size_t queued);
  // The replies of the group were sent.
  void note_replied(core::MonotonicTime now) { replied_at_ = now; }

  // Whether the next group begins after the replies of the last one.
  [[nodiscard]] bool waits_for_last_group() const;
  // Whether it is worth waiting for more than `queued` commands, and until when at most.
  [[nodiscard]] bool wants_more(std::size_t queued) const;
  [[nodiscard]] core::MonotonicTime wait_ends_at() const;
  // The result of a wait: the number of commands before and after it.
  void note_waited(std::size_t before, std::size_t after);
  // A group began.
  void note_begun();

 private:
  [[nodiscard]] static core::Duration average(core::Duration so_far, core::Duration last);

  core::Duration work_ = {};
  core::Duration flush_ = {};
  std::size_t callers_ = 0;  // estimate of the callers that wait for replies again and again
  core::MonotonicTime replied_at_ = {};
  int unproductive_waits_ = 0;  // in a row: they brought few commands
  int skips_ = 0;               // groups that do not wait because of them
};

}  // namespace pawl::runtime
