#pragma once
// Time and randomness controlled by the test.

#include <atomic>
#include <cstdint>

#include "core/base/env.hpp"

namespace pawl::testing {

// Stands still until it is advanced. Thread-safe.
class ManualClock final : public core::Clock {
 public:
  [[nodiscard]] core::TimePoint now() override { return core::time_from_micros(wall_.load()); }
  [[nodiscard]] core::MonotonicTime monotonic() override {
    return core::MonotonicTime{core::Duration{elapsed_.load()}};
  }

  void advance(core::Duration by) {
    wall_ += by.count();
    elapsed_ += by.count();
  }
  // Steps only the wall clock, in either direction, as an operator or NTP does.
  void step_wall(core::Duration by) { wall_ += by.count(); }

 private:
  std::atomic<std::int64_t> wall_{1'767'225'600'000'000};  // 2026-01-01T00:00:00Z
  std::atomic<std::int64_t> elapsed_{0};
};

// splitmix64: the same seed gives the same draws on every platform.
class SeededRandom final : public core::Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t next() override {
    std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31U);
  }
  // In [0, bound).
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  [[nodiscard]] bool chance(double probability) { return unit() < probability; }

 private:
  std::atomic<std::uint64_t> state_;
};

}  // namespace pawl::testing
