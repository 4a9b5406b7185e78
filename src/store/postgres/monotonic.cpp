#include "store/postgres/monotonic.hpp"

#include <ctime>

#include <poll.h>

namespace pawl::store::postgres {

core::MonotonicTime monotonic_now() {
  return std::chrono::time_point_cast<core::Duration>(std::chrono::steady_clock::now());
}

core::MonotonicTime elapsed_now() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return core::MonotonicTime{std::chrono::duration_cast<core::Duration>(
      std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec})};
}

void wait(core::Duration duration) {
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  ::poll(nullptr, 0, static_cast<int>(millis));
}

}  // namespace pawl::store::postgres
