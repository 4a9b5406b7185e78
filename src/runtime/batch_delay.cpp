#include "runtime/batch_delay.hpp"

#include <algorithm>
#include <chrono>

namespace pawl::runtime {

namespace {

constexpr std::chrono::microseconds kSlowFlush{400};  // a wait for less would be as long as the timer's error
constexpr std::chrono::microseconds kNoFlush{20};     // shorter: the data was on the disk already
constexpr std::chrono::milliseconds kWaitMax{2};      // callers that return do so sooner
constexpr int kLongWork = 4;  // above a quarter of the flush, work is better done during the last flush
constexpr int kUnproductiveMax = 5;
constexpr int kAverageOf = 8;

}  // namespace

core::Duration BatchDelay::average(core::Duration so_far, core::Duration last) {
  return so_far == core::Duration{0} ? last : so_far + (last - so_far) / kAverageOf;
}

void BatchDelay::note_flush(core::Duration time, std::size_t answers, std::size_t queued) {
  if (time > kNoFlush) flush_ = average(flush_, time);
  callers_ = answers + queued;
}

bool BatchDelay::waits_for_last_group() const { return flush_ > kSlowFlush && flush_ > kLongWork * work_; }

bool BatchDelay::wants_more(std::size_t queued) const {
  return waits_for_last_group() && skips_ == 0 && queued < callers_;
}

core::MonotonicTime BatchDelay::wait_ends_at() const {
  return replied_at_ + std::min<core::Duration>(flush_ / 2, kWaitMax);
}

void BatchDelay::note_waited(std::size_t before, std::size_t after) {
  const bool was_worth_it = 2 * (after - before) >= callers_ - before;
  unproductive_waits_ = was_worth_it ? 0 : std::min(unproductive_waits_ + 1, kUnproductiveMax);
  skips_ = was_worth_it ? 0 : 1 << unproductive_waits_;
}

void BatchDelay::note_begun() { skips_ = std::max(skips_ - 1, 0); }

}  // namespace pawl::runtime
