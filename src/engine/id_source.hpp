#pragma once
// The ids of one node: they rise over all groups, so that what a caller enqueues later is listed later. Any
// thread.

#include <mutex>

#include "core/ids.hpp"

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
