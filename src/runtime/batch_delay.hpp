#pragma once
// Decides whether a group waits for more commands before it begins. On a slow disk, callers that wait for
// their replies split into two halves: one half is being flushed while the other half returns, so each flush
// carries half of what it could. The next group therefore begins when the last one has been answered, and
// waits a little for the answered callers: they usually return with their next command.
//
// On a fast disk a group costs more than its flush, and executing a group while the last one is flushed is
// better: there no group waits. The loop never waits for a single caller.

#include <cstddef>

#include "core/base/time.hpp"

namespace pawl::runtime {

class Gathering {
 public:
  // How long the last group took to execute.
  void note_work(core::Duration time) { work_ = average(work_, time); }
  // How long its flush took, how many answers it has, and how many commands are queued meanwhile.
  void note_flush(core::Duration time, std::size_t answers, std::size_t queued);
  // The group has been answered.
  void note_told(core::MonotonicTime now) { told_at_ = now; }

  // Whether a group that begins before the last one is answered would be half of what it could be.
  [[nodiscard]] bool waits_for_the_last() const;
  // Whether it is worth waiting for more than `queued` commands, and until when at most.
  [[nodiscard]] bool wants_more(std::size_t queued) const;
  [[nodiscard]] core::MonotonicTime waits_until() const;
  // The result of a wait: the number of commands before and after it.
  void note_waited(std::size_t before, std::size_t after);
  // A group begins.
  void begin();

 private:
  [[nodiscard]] static core::Duration average(core::Duration so_far, core::Duration last);

  core::Duration work_ = {};
  core::Duration flush_ = {};
  std::size_t callers_ = 0;  // estimate of the callers that wait for replies again and again
  core::MonotonicTime told_at_ = {};
  int vain_ = 0;   // how many waits in a row brought little
  int skips_ = 0;  // groups that do not wait because of it
};

}  // namespace pawl::runtime
