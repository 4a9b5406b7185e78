#pragma once
// The real clock and the real random source. Real time and randomness enter the program only here.

#include <array>
#include <mutex>

#include "core/base/env.hpp"

namespace pawl::runtime {

class SystemClock final : public core::Clock {
 public:
  [[nodiscard]] core::TimePoint now() override;
  [[nodiscard]] core::MonotonicTime monotonic() override;
  [[nodiscard]] core::MonotonicTime elapsed() override;
};

// xoshiro256**, seeded by the operating system (or a given seed). Not for secrets.
class SystemRandom final : public core::Random {
 public:
  SystemRandom();
  explicit SystemRandom(std::uint64_t seed);
  [[nodiscard]] std::uint64_t next() override;

 private:
  std::mutex mutex_;
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace pawl::runtime
