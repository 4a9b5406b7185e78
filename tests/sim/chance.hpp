#pragma once
// The random draws of a run. Every actor has a stream of its own, so that a change in one does not affect the
// others.

#include <cstdint>
#include <vector>

#include "core/base/time.hpp"
#include "tests/support/env.hpp"

namespace pawl::sim {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] bool happens(double probability) { return probability > 0 && random_.unit() < probability; }
  // From `low` to `high`, inclusive.
  [[nodiscard]] int between(int low, int high) {
    return low + static_cast<int>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  [[nodiscard]] double between(double low, double high) { return low + (high - low) * random_.unit(); }
  [[nodiscard]] core::Duration between(core::Duration low, core::Duration high) {
    if (high <= low) return low;
    return low + core::Duration{static_cast<std::int64_t>(
                     random_.below(static_cast<std::uint64_t>((high - low).count()) + 1))};
  }
  [[nodiscard]] std::size_t index(std::size_t size) { return static_cast<std::size_t>(random_.below(size)); }
  template <typename T>
  [[nodiscard]] const T& pick(const std::vector<T>& from) {
    return from[index(from.size())];
  }
  // A seed for another stream.
  [[nodiscard]] std::uint64_t seed() { return random_.next(); }

 private:
  testing::SeededRandom random_;
};

}  // namespace pawl::sim
