#pragma once
// Ports for time and randomness. Nothing in core calls them; they are passed to the engine, so that a
// simulation or a test controls both.

#include <cstdint>

#include "core/base/time.hpp"

namespace pawl::core {

// May be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() = 0;            // wall clock; may step in either direction
  [[nodiscard]] virtual MonotonicTime monotonic() = 0;  // for waits; never steps
  // Like monotonic(), but it also runs while the machine is suspended: the reference for steps of the wall
  // clock.
  [[nodiscard]] virtual MonotonicTime elapsed() { return monotonic(); }
};

class Random {
 public:
  virtual ~Random() = default;
  [[nodiscard]] virtual std::uint64_t next() = 0;
  // In [0, 1).
  [[nodiscard]] double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
};

}  // namespace pawl::core
