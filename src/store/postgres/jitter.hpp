#pragma once
// Chance for spreading reconnects, so that many nodes do not return at one moment. Any thread.

#include <cstdint>
#include <mutex>

#include "core/env.hpp"

namespace pawl::store::postgres {

class Jitter {
 public:
  // Without a source, one of its own that is seeded by the time.
  explicit Jitter(core::Random* random);
  // `duration`, or up to half of it less.
  [[nodiscard]] core::Duration spread(core::Duration duration);

 private:
  [[nodiscard]] double unit();

  std::mutex mutex_;
  core::Random* random_;
  std::uint64_t state_;
};

}  // namespace pawl::store::postgres
