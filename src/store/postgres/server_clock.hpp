#pragma once
// The server's clock, bridged over its steps (core/store_clock.hpp), and a guess of it for groups that are
// worked out before the server has answered.
//
// All nodes share one state, a record that comes with each reading; the first node that observes a step
// writes it. Any thread.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/env.hpp"
#include "core/store_clock.hpp"
#include "store/postgres/heard_clock.hpp"
#include "store/postgres/rows.hpp"

namespace pawl::store::postgres {

class ServerClock {
 public:
  struct Time {
    core::TimePoint now = {};  // store time; not to be used if there is a step
    std::shared_ptr<const core::ClockState> state = {};
    std::optional<core::ClockState> step = {};  // the state that is to be recorded first
  };

  // `clock`: used instead of the server's, unless null.
  explicit ServerClock(core::Clock* clock) : clock_(clock) {}

  // Before a question for the time is sent.
  [[nodiscard]] core::MonotonicTime elapsed() const;
  // The answer to it: the server's clock at `column`, the body of the record at `body_column`.
  [[nodiscard]] Time read(const Rows& answer, int column, int body_column, core::MonotonicTime sent);
  // The server compared the guess with its clock, and no step came between.
  void confirm(const Rows& answer, int column);

  // None after a silence, and while store time is ahead of the clock.
  [[nodiscard]] std::optional<Time> guess();
  void forget_guess() { heard_.forget(); }

  [[nodiscard]] std::shared_ptr<const core::ClockState> state();
  // Store time of a later reading in a transaction that began under `state`.
  [[nodiscard]] core::TimePoint later(const Rows& answer, int column, const core::ClockState& state);

 private:
  [[nodiscard]] core::TimePoint clock_of(const Rows& answer, int column) const;
  // With the mutex held.
  void learn(std::string_view body);

  core::Clock* const clock_;
  HeardClock heard_;
  std::mutex mutex_;
  core::StepDetector detector_;
  std::string body_;
  // Shared with the transactions that began under it.
  std::shared_ptr<const core::ClockState> state_ = std::make_shared<const core::ClockState>();
};

}  // namespace pawl::store::postgres
