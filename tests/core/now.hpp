#pragma once
// The time of decisions in tests.

#include "core/base/time.hpp"

namespace pawl::core {

inline constexpr TimePoint kNow = time_from_micros(1'000'000'000);

}  // namespace pawl::core
