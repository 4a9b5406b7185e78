#pragma once
// Generates the ids of one node. They rise across all groups, so that a task that a caller enqueues later is
// listed later. Thread-safe.

#include <mutex>

#include "core/base/ids.hpp"

namespace pawl::engine {

class IdSource {
 public:
  explicit IdSource(core::Random& random) : generator_(random) {}

  [[nodiscard]] core::Uuid next(core::TimePoint now) {
    const std::lock_guard lock{mutex_};
    return generator_.next(now);
  }
  [[nodiscard]] core::TaskId next_task(core::TimePoint now) { return core::TaskId{next(now)}; }

 private:
  std::mutex mutex_;
  core::IdGenerator generator_;
};

}  // namespace pawl::engine
