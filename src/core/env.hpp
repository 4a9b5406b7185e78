#pragma once
// The ports for what is not deterministic. Nothing in core calls them; the engine is given them, so that a
// simulation or a test owns time and chance.

#include <cstdint>

#include "core/time.hpp"

namespace pawl::core {

// May be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() = 0;            // wall clock; may step either way
  [[nodiscard]] virtual MonotonicTime monotonic() = 0;  // for waits; never steps
  // The same, and it also runs while the machine is suspended: what steps of the wall clock are measured by.
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
