#pragma once
// When the tests of decisions take place.

#include "core/time.hpp"

namespace pawl::core {

inline constexpr TimePoint kNow = time_from_micros(1'000'000'000);

}  // namespace pawl::core
