#pragma once
// Counts the steps of the store's clock (core/base/store_clock.hpp) and passes them to a listener.
// Thread-safe.

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "core/base/store_clock.hpp"
#include "engine/engine_stats.hpp"

namespace pawl::engine {

class ClockWatch {
 public:
  // Called for each new step, one call at a time.
  using Listener = std::function<void(const core::ClockStep& step)>;

  explicit ClockWatch(EngineStats& stats) : stats_(stats) {}

  void listen(Listener listener);
  // Steps before the first call are not reported.
  void note(const core::ClockState& clock);

 private:
  EngineStats& stats_;
  std::mutex mutex_;
  Listener listener_;
  std::optional<std::int64_t> steps_seen_;
};

}  // namespace pawl::engine
