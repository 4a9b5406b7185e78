#pragma once
// Who wants to know that something happened to a run. This node's own commits are told at once; what other
// nodes commit is not seen here, so that whoever waits looks by itself now and then as well. Any thread.

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>

#include "core/ids.hpp"

namespace pawl::engine {

class RunWatch {
 public:
  using Tell = std::function<void()>;

  // `tell` is called on the thread that committed, after the commit; it must be quick, and may be called once
  // more while `unwatch` runs.
  [[nodiscard]] std::uint64_t watch(const core::RunId& run, Tell tell);
  void unwatch(std::uint64_t watcher);
  void note(std::span<const core::RunId> runs);

 private:
  struct Watcher {
    core::RunId run = {};
    Tell tell = {};
  };

  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Watcher> watchers_;
  std::multimap<core::RunId, std::uint64_t> by_run_;
};

}  // namespace pawl::engine
