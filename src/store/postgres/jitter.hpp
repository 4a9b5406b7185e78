#pragma once
// Random spread for reconnects, so that many nodes do not reconnect at the same moment. Thread-safe.

#include <cstdint>
#include <mutex>

#include "core/base/env.hpp"

namespace pawl::store::postgres {

class Jitter {
 public:
  // If `random` is null, uses a generator of its own, seeded with the time.
  explicit Jitter(core::Random* random);
  // `duration`, reduced by up to half.
  [[nodiscard]] core::Duration spread(core::Duration duration);

 private:
  [[nodiscard]] double unit();

  std::mutex mutex_;
  core::Random* random_;
  std::uint64_t state_;
};

}  // namespace pawl::store::postgres
