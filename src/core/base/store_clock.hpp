#pragma once
// Store time: the store's clock with its steps bridged, so that leases expire neither early nor late when the
// clock is set.
//
// A step is a change of the clock that the monotonic time of a node does not show. After a step back, store
// time continues and runs slower than the clock until both agree again. Store time follows a step forward,
// which is recorded: a lease that was renewed before such a step does not count the skipped time.
//
// Pure. StepDetector is not thread-safe.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.hpp"
#include "core/json/json.hpp"
#include "core/records/record.hpp"

namespace pawl::core {

// Smaller steps are not bridged: leases may expire early by that much.
inline constexpr Duration kClockStepMin = std::chrono::milliseconds{250};
// On larger steps back, store time goes back with the clock.
inline constexpr Duration kClockBridgeMax = std::chrono::hours{24 * 7};
// While it is ahead, store time loses one microsecond in this many.
inline constexpr int kClockSlewShare = 4;
inline constexpr std::size_t kClockStepsKept = 16;

struct ClockStep {
  std::int64_t number = 0;  // from 1
  TimePoint at = {};        // store time before the step
  Duration by{0};           // of the clock; negative: back
  Duration jump{0};         // of store time; never negative

  bool operator==(const ClockStep&) const = default;
};

struct ClockState {
  std::int64_t steps = 0;              // recorded so far
  Duration ahead{0};                   // store time minus the clock, at `since`
  TimePoint since = {};                // by the clock
  std::vector<ClockStep> recent = {};  // the last ones, oldest first
  std::int64_t steps_back = 0;         // of `steps`
  Duration largest{0};                 // of all steps, in either direction

  bool operator==(const ClockState&) const = default;
};

// How far store time is ahead when the clock shows `clock`.
[[nodiscard]] Duration ahead_at(const ClockState& state, TimePoint clock);
[[nodiscard]] TimePoint store_time(const ClockState& state, TimePoint clock);
// The same, at the store time `now`.
[[nodiscard]] Duration ahead_of(const ClockState& state, TimePoint now);
// The state after a step by `by`, after which the clock shows `clock`.
[[nodiscard]] ClockState with_step(const ClockState& state, TimePoint clock, Duration by);
// By how much store time jumped forward after `time`.
[[nodiscard]] Duration jumped_since(const ClockState& state, TimePoint time);

// The record through which nodes share the state; its version is the number of steps.
[[nodiscard]] RecordRef clock_ref();
[[nodiscard]] RawJson encode(const ClockState& state);
[[nodiscard]] ClockState clock_state_from(const RawJson& body);

// Moves the expiry of a lock, a worker, a node or the leader by the jumps since the record was written.
void skip_jumps(Record& record, const ClockState& state);

// A reading of the clock, taken between `sent` and `received`.
struct ClockReading {
  TimePoint clock = {};
  MonotonicTime sent = {};
  MonotonicTime received = {};
};

class StepDetector {
 public:
  // Returns the step that `reading` shows and `state` lacks. It is returned again until it is recorded.
  [[nodiscard]] std::optional<Duration> observe(const ClockReading& reading, const ClockState& state);

 private:
  std::optional<Duration> offset_;  // the clock minus monotonic time
  MonotonicTime observed_at_ = {};
  std::int64_t steps_ = 0;  // of the state to which `offset_` belongs
};

}  // namespace pawl::core
