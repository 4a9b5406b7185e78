#include "core/base/store_clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "core/base/canary.hpp"
#include "core/json/body.hpp"

namespace pawl::core {

namespace {

// The drift allowed between two good clocks: a millisecond in a second.
constexpr int kDriftShare = 1'000;
// Only readings with a shorter round trip are kept for comparison, so that the error of the kept offset stays
// below the smallest step.
constexpr Duration kPreciseMax = kClockStepMin / 2;

// Text suffices: a record has at most 16 of them.
std::string clock_step_text(const ClockStep& step) {
  std::ostringstream out;
  out << step.number << ' ' << micros(step.at) << ' ' << step.by.count() << ' ' << step.jump.count();
  return out.str();
}

std::optional<ClockStep> step_from(const std::string& text) {
  std::istringstream in{text};
  std::int64_t number = 0;
  std::int64_t at = 0;
  std::int64_t by = 0;
  std::int64_t jump = 0;
  if (!(in >> number >> at >> by >> jump)) return std::nullopt;
  return ClockStep{.number = number, .at = time_from_micros(at), .by = Duration{by}, .jump = Duration{jump}};
}

Duration size_of(Duration by) { return by < Duration{0} ? -by : by; }

// The sum of the steps after `number`; nullopt if some of them are no longer kept.
std::optional<Duration> moved_since(const ClockState& state, std::int64_t number) {
  Duration sum{0};
  std::int64_t found = 0;
  for (const ClockStep& step : state.recent) {
    if (step.number <= number) continue;
    sum += step.by;
    ++found;
  }
  if (found < state.steps - number) return std::nullopt;
  return sum;
}

void move_time(Body& body, const char* name, Duration by) {
  if (const auto time = body.optional_time_of(name)) body.put(name, *time + by);
}

}  // namespace

Duration ahead_at(const ClockState& state, TimePoint clock) {
  const Duration passed = std::max(clock - state.since, Duration{0});
  return std::max(state.ahead - passed / kClockSlewShare, Duration{0});
}

TimePoint store_time(const ClockState& state, TimePoint clock) { return clock + ahead_at(state, clock); }

Duration ahead_of(const ClockState& state, TimePoint now) {
  const Duration passed = (now - state.since - state.ahead) * kClockSlewShare / (kClockSlewShare - 1);
  return ahead_at(state, state.since + std::max(passed, Duration{0}));
}

ClockState with_step(const ClockState& state, TimePoint clock, Duration by) {
  ClockState after = state;
  const TimePoint before = clock - by;
  const Duration ahead = ahead_at(state, before);
  ClockStep step{.number = state.steps + 1, .at = before + ahead, .by = by};
  if (by < Duration{0}) {
    after.ahead = ahead - by <= kClockBridgeMax ? ahead - by : ahead;
    ++after.steps_back;
  } else {
    const Duration taken_up = std::min(ahead, by);
    after.ahead = ahead - taken_up;
    step.jump = by - taken_up;
  }
  after.since = clock;
  after.steps = step.number;
  after.largest = std::max(after.largest, size_of(by));
  after.recent.push_back(step);
  if (after.recent.size() > kClockStepsKept) after.recent.erase(after.recent.begin());
  return after;
}

Duration jumped_since(const ClockState& state, TimePoint time) {
  Duration sum{0};
  if (planted(Canary::skipped_time_counted)) return sum;
  for (const ClockStep& step : state.recent) {
    if (step.at >= time) sum += step.jump;
  }
  return sum;
}

RecordRef clock_ref() { return {.kind = RecordKind::clock, .key = "store"}; }

RawJson encode(const ClockState& state) {
  Body body;
  body.put("steps", state.steps);
  body.put("steps_back", state.steps_back);
  body.put("largest_us", state.largest);
  body.put("ahead_us", state.ahead);
  body.put("since", state.since);
  std::vector<std::string> recent;
  for (const ClockStep& step : state.recent) recent.push_back(clock_step_text(step));
  body.put("recent", recent);
  return body.text();
}

ClockState clock_state_from(const RawJson& text) {
  const Body body{text};
  ClockState state{.steps = body.get<std::int64_t>("steps"),
                   .ahead = Duration{body.get<std::int64_t>("ahead_us")},
                   .since = body.time_of("since"),
                   .steps_back = body.get<std::int64_t>("steps_back"),
                   .largest = Duration{body.get<std::int64_t>("largest_us")}};
  for (const std::string& one : body.get<std::vector<std::string>>("recent")) {
    if (const auto step = step_from(one)) state.recent.push_back(*step);
  }
  return state;
}

void skip_jumps(Record& record, const ClockState& state) {
  const Duration jump = jumped_since(state, record.updated_at);
  if (jump == Duration{0}) return;
  Body body{record.body};
  switch (record.ref.kind) {
    case RecordKind::lock: move_time(body, "expires_at", jump); break;
    case RecordKind::leader: move_time(body, "until", jump); break;
    case RecordKind::worker: move_time(body, "heartbeat_at", jump); break;
    case RecordKind::node: break;
    default: return;
  }
  record.body = body.text();
  if (record.expires_at) *record.expires_at += jump;
}

std::optional<Duration> StepDetector::observe(const ClockReading& reading, const ClockState& state) {
  const Duration lowest = reading.clock.time_since_epoch() - reading.received.time_since_epoch();
  const Duration highest = reading.clock.time_since_epoch() - reading.sent.time_since_epoch();
  const Duration silence = std::max(reading.received - observed_at_, Duration{0});
  const Duration tolerance = kClockStepMin + silence / kDriftShare;
  const bool is_precise = highest - lowest <= kPreciseMax;
  const auto accept = [&](Duration offset) {
    steps_ = state.steps;
    offset_ = offset;
    if (!is_precise) return;
    offset_ = std::clamp(offset, lowest, highest);
    observed_at_ = std::max(observed_at_, reading.received);
  };
  const auto moved = moved_since(state, steps_);
  if (!offset_ || !moved || planted(Canary::clock_step_not_seen)) {
    offset_.reset();
    if (is_precise) accept(highest);
    return std::nullopt;
  }
  // Another node may have recorded a step of its own monotonic time, which this node does not observe.
  for (const Duration offset : {*offset_ + *moved, *offset_}) {
    if (offset < lowest - tolerance || offset > highest + tolerance) continue;
    accept(offset);
    return std::nullopt;
  }
  const Duration expected = *offset_ + *moved;
  return expected < lowest ? lowest - expected : highest - expected;
}

}  // namespace pawl::core
