#pragma once
// The server's clock, bridged over its steps (core/base/store_clock.hpp), and an estimate of it for groups
// that are decided before the server has answered.
//
// All nodes share one state, a record that is read with each time; the first node that observes a step writes
// it. Thread-safe.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/env.hpp"
#include "core/base/store_clock.hpp"
#include "store/postgres/heard_clock.hpp"
#include "store/postgres/rows.hpp"

namespace pawl::store::postgres {

class ServerClock {
 public:
  struct Time {
    core::TimePoint now = {};  // store time; invalid if there is a step
    std::shared_ptr<const core::ClockState> state = {};
    std::optional<core::ClockState> step = {};  // the state that must be recorded first
  };

  // `clock`: replaces the server's clock, unless null.
  explicit ServerClock(core::Clock* clock) : clock_(clock) {}

  // Call before the query for the time is sent.
  [[nodiscard]] core::MonotonicTime elapsed() const;
  // Reads its answer: the server's clock at `column`, the body of the record at `body_column`.
  [[nodiscard]] Time read(const Rows& answer, int column, int body_column, core::MonotonicTime sent);
  // The server has compared the estimate with its clock, and there was no step in between.
  void confirm(const Rows& answer, int column);

  // None if the last answer is too old, and while store time is ahead of the clock.
  [[nodiscard]] std::optional<Time> guess();
  void forget_guess() { heard_.forget(); }

  [[nodiscard]] std::shared_ptr<const core::ClockState> state();
  // Store time of a later reading in a transaction that began with `state`.
  [[nodiscard]] core::TimePoint later(const Rows& answer, int column, const core::ClockState& state);

 private:
  [[nodiscard]] core::TimePoint clock_of(const Rows& answer, int column) const;
  // The caller holds the mutex.
  void learn(std::string_view body);

  core::Clock* const clock_;
  HeardClock heard_;
  std::mutex mutex_;
  core::StepDetector detector_;
  std::string body_;
  // Shared with the transactions that began with it.
  std::shared_ptr<const core::ClockState> state_ = std::make_shared<const core::ClockState>();
};

}  // namespace pawl::store::postgres
