#include "store/postgres/server_clock.hpp"

#include <algorithm>

#include "store/postgres/monotonic.hpp"

namespace pawl::store::postgres {

core::MonotonicTime ServerClock::elapsed() const {
  return clock_ != nullptr ? clock_->elapsed() : elapsed_now();
}

core::TimePoint ServerClock::clock_of(const Rows& answer, int column) const {
  return clock_ != nullptr ? clock_->now() : answer.time(0, column);
}

void ServerClock::learn(std::string_view body) {
  if (body == body_) return;
  body_ = body;
  state_ = std::make_shared<const core::ClockState>(body.empty() ? core::ClockState{}
                                                                 : core::clock_state_from({body_}));
}

ServerClock::Time ServerClock::read(const Rows& answer, int column, int body_column,
                                    core::MonotonicTime sent) {
  const core::ClockReading reading{.clock = clock_of(answer, column), .sent = sent, .received = elapsed()};
  const std::string_view body =
      answer.is_null(0, body_column) ? std::string_view{} : answer.text(0, body_column);
  const std::lock_guard lock{mutex_};
  learn(body);
  Time time{.now = core::store_time(*state_, reading.clock), .state = state_};
  if (const auto step = detector_.observe(reading, *state_))
    time.step = core::with_step(*state_, reading.clock, *step);
  if (time.step || time.now != reading.clock) {
    heard_.forget();
  } else {
    heard_.hear(answer.time(0, column), monotonic_now());
  }
  return time;
}

void ServerClock::confirm(const Rows& answer, int column) {
  heard_.hear(answer.time(0, column), monotonic_now());
}

std::optional<ServerClock::Time> ServerClock::guess() {
  const auto clock = clock_ != nullptr ? std::optional{clock_->now()} : heard_.tell(monotonic_now());
  if (!clock) return std::nullopt;
  const core::MonotonicTime now = elapsed();
  const std::lock_guard lock{mutex_};
  if (core::ahead_at(*state_, *clock) > core::Duration{0}) return std::nullopt;
  // The server does not compare a clock of this machine.
  const bool is_step =
      clock_ != nullptr && detector_.observe({.clock = *clock, .sent = now, .received = now}, *state_);
  if (is_step) return std::nullopt;
  return Time{.now = *clock, .state = state_};
}

std::shared_ptr<const core::ClockState> ServerClock::state() {
  const std::lock_guard lock{mutex_};
  return state_;
}

core::TimePoint ServerClock::later(const Rows& answer, int column, const core::ClockState& state) {
  const core::TimePoint clock = clock_of(answer, column);
  const core::TimePoint now = core::store_time(state, clock);
  if (now == clock) confirm(answer, column);
  return now;
}

}  // namespace pawl::store::postgres
