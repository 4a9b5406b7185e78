#pragma once
// Who wants to know that something happened to a run. This node's own commits are told at once; what other
// nodes commit is not seen here, so that whoever waits looks by itself now and then as well. Any thread.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/run.hpp"

namespace pawl::engine {

class RunWatch {
 public:
  using Tell = std::function<void(const core::Run& run)>;
  enum class Of : std::uint8_t { every_event, its_end };

  // `tell` is called with the run as it was committed, on the thread that did; it must be quick, and may be
  // called once more while `unwatch` runs.
  [[nodiscard]] std::uint64_t watch(const core::RunId& run, Of what, Tell tell);
  void unwatch(std::uint64_t watcher);

  // What is to be told of runs as they were committed, to whom watches now.
  struct News {
    std::shared_ptr<const core::Run> run;
    Tell tell;
  };
  [[nodiscard]] std::vector<News> news_of(std::span<const core::Run* const> runs);

 private:
  struct Watcher {
    core::RunId run = {};
    Of what = Of::every_event;
    Tell tell = {};
  };

  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Watcher> watchers_;
  std::multimap<core::RunId, std::uint64_t> by_run_;
};

}  // namespace pawl::engine
