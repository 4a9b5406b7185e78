#pragma once
// Whether a group waits for more commands before it begins. Where the disk takes its time, callers who wait
// for their answers fall into two halves: one is on its way to the disk while the other comes back, and each
// flush carries half of what it could. So the next group begins when the last one is told, and waits a little
// for those who were answered: they usually come back with their next command.
//
// On a fast disk a group costs more than its flush, and working one out while the last is flushed is better:
// there nobody waits. One caller alone is never waited for.

#include <cstddef>

#include "core/time.hpp"

namespace pawl::runtime {

class Gathering {
 public:
  // How long the last group took to be worked out.
  void note_work(core::Duration time) { work_ = average(work_, time); }
  // How long it took to the disk then. So many are about to be answered, so many have come meanwhile.
  void note_flush(core::Duration time, std::size_t answers, std::size_t queued);
  // They are answered.
  void note_told(core::MonotonicTime now) { told_at_ = now; }

  // Whether a group that begins before the last one is told would be half of what it could be.
  [[nodiscard]] bool waits_for_the_last() const;
  // Whether it is worth waiting for more where so many have come, and until when at most.
  [[nodiscard]] bool wants_more(std::size_t queued) const;
  [[nodiscard]] core::MonotonicTime waits_until() const;
  // What waiting brought: so many had come before it, so many after.
  void note_waited(std::size_t before, std::size_t after);
  // A group begins.
  void begin();

 private:
  [[nodiscard]] static core::Duration average(core::Duration so_far, core::Duration last);

  core::Duration work_ = {};
  core::Duration flush_ = {};
  std::size_t callers_ = 0;  // that wait for answers again and again, as far as it is seen
  core::MonotonicTime told_at_ = {};
  int vain_ = 0;   // how often in a row waiting brought little
  int skips_ = 0;  // groups that do not wait therefore
};

}  // namespace pawl::runtime
