#include "store/postgres/monotonic.hpp"

#include <poll.h>

namespace pawl::store::postgres {

core::MonotonicTime monotonic_now() {
  return std::chrono::time_point_cast<core::Duration>(std::chrono::steady_clock::now());
}

void wait(core::Duration duration) {
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  ::poll(nullptr, 0, static_cast<int>(millis));
}

}  // namespace pawl::store::postgres
